//! Queries over `account_settings`. Each one carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    schema::{account_settings, accounts, overlays},
};
use uuid::Uuid;

use super::{AccountSettings, AlertSettings, ChatSettings, Locale, PrivacySettings};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = account_settings)]
#[diesel(treat_none_as_null = true)]
struct Row {
    locale: String,
    timezone: String,
    currency: String,
    command_prefix: String,
    chat_default_platforms: Vec<String>,
    chat_show_timestamps: bool,
    chat_highlight_mentions: bool,
    chat_font_size: i32,
    alerts_muted: bool,
    alerts_volume: i32,
    store_chat: bool,
    store_user_profiles: bool,
    default_overlay_id: Option<Uuid>,
}

/// Locks the account until the transaction ends.
pub(super) async fn lock_account(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    accounts::table
        .find(account)
        .select(accounts::id)
        .for_no_key_update()
        .first::<AccountId>(connection)
        .await?;
    Ok(())
}

/// Settings of an account; `None` when it never changed any.
pub(super) async fn load(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Option<AccountSettings>> {
    let row = account_settings::table.find(account).select(Row::as_select()).first(connection).await;
    Ok(row.optional()?.map(settings))
}

/// True when the overlay is one of the account's. It is locked against deletion until the transaction ends.
pub(super) async fn has_overlay(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
) -> Result<bool> {
    let found: Option<Uuid> = overlays::table
        .filter(overlays::account_id.eq(account).and(overlays::id.eq(overlay)))
        .select(overlays::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    Ok(found.is_some())
}

pub(super) async fn save(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    settings: &AccountSettings,
    now: DateTime<Utc>,
) -> Result<()> {
    let id = account_settings::account_id.eq(account);
    let updated_at = account_settings::updated_at.eq(now);
    insert_into(account_settings::table)
        .values((id, row(settings), updated_at))
        .on_conflict(account_settings::account_id)
        .do_update()
        .set((row(settings), updated_at))
        .execute(connection)
        .await?;
    Ok(())
}

fn settings(row: Row) -> AccountSettings {
    AccountSettings {
        // The column has no other value.
        locale: if row.locale == "de" { Locale::De } else { Locale::En },
        timezone: row.timezone,
        currency: row.currency,
        command_prefix: row.command_prefix,
        chat: ChatSettings {
            default_platforms: row.chat_default_platforms,
            show_timestamps: row.chat_show_timestamps,
            highlight_mentions: row.chat_highlight_mentions,
            font_size: row.chat_font_size,
        },
        alerts: AlertSettings { muted: row.alerts_muted, volume: row.alerts_volume },
        privacy: PrivacySettings { store_chat: row.store_chat, store_user_profiles: row.store_user_profiles },
        default_overlay_id: row.default_overlay_id,
    }
}

fn row(settings: &AccountSettings) -> Row {
    Row {
        locale: match settings.locale {
            Locale::En => "en".into(),
            Locale::De => "de".into(),
        },
        timezone: settings.timezone.clone(),
        currency: settings.currency.clone(),
        command_prefix: settings.command_prefix.clone(),
        chat_default_platforms: settings.chat.default_platforms.clone(),
        chat_show_timestamps: settings.chat.show_timestamps,
        chat_highlight_mentions: settings.chat.highlight_mentions,
        chat_font_size: settings.chat.font_size,
        alerts_muted: settings.alerts.muted,
        alerts_volume: settings.alerts.volume,
        store_chat: settings.privacy.store_chat,
        store_user_profiles: settings.privacy.store_user_profiles,
        default_overlay_id: settings.default_overlay_id,
    }
}
