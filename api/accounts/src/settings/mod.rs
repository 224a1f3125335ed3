//! Settings of the account (reference/accounts.md#settings).

mod changes;
mod currencies;
mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use automation_model::next_runs;
use chrono_tz::Tz;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{
    audit,
    events::{Channel, Event},
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{catalogue::AccountPermission, id::AccountId};
use utoipa::ToSchema;
use uuid::Uuid;

pub use changes::{
    UpdateAccountSettingsInput, UpdateAlertSettingsInput, UpdateChatSettingsInput, UpdatePrivacySettingsInput,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ACCOUNT_SETTINGS, &UPDATE_ACCOUNT_SETTINGS];

/// Language of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Locale {
    /// English.
    En,
    /// German.
    De,
}

/// Settings of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AccountSettings {
    /// Language.
    pub locale: Locale,
    /// Name of a time zone of the IANA database.
    pub timezone: String,
    /// Code of a currency, three letters of ISO 4217.
    pub currency: String,
    /// Prefix of chat commands, 1 to 3 characters.
    pub command_prefix: String,
    /// Chat settings.
    pub chat: ChatSettings,
    /// Alert settings.
    pub alerts: AlertSettings,
    /// Privacy settings.
    pub privacy: PrivacySettings,
    /// Overlay to show by default; null when none is chosen.
    pub default_overlay_id: Option<Uuid>,
}

/// Settings of the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ChatSettings {
    /// Slugs of the platforms to write to by default.
    pub default_platforms: Vec<String>,
    /// True when messages are shown with their time.
    pub show_timestamps: bool,
    /// True when messages that mention the channel are highlighted.
    pub highlight_mentions: bool,
    /// Font size in pixels, 8 to 72.
    pub font_size: i32,
}

/// Settings of alerts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AlertSettings {
    /// True when alerts make no sound.
    pub muted: bool,
    /// Volume in percent, 0 to 100.
    pub volume: i32,
}

/// Settings of the storage of chat data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PrivacySettings {
    /// True when chat messages are stored. They are broadcast in any case.
    pub store_chat: bool,
    /// True when counters and profiles of those who write are stored.
    pub store_user_profiles: bool,
}

impl Default for AccountSettings {
    fn default() -> Self {
        Self {
            locale: Locale::En,
            timezone: "UTC".into(),
            currency: "EUR".into(),
            command_prefix: "!".into(),
            chat: ChatSettings {
                default_platforms: Vec::new(),
                show_timestamps: true,
                highlight_mentions: true,
                font_size: 14,
            },
            alerts: AlertSettings { muted: false, volume: 100 },
            privacy: PrivacySettings { store_chat: true, store_user_profiles: true },
            default_overlay_id: None,
        }
    }
}

pub static ACCOUNT_SETTINGS: Operation<AccountCaller> =
    Operation::account("accountSettings", AccountPermission::SettingsRead, Grants::Nothing).polled();

/// Returns the settings of the account.
///
/// An account that never changed a setting has the defaults.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn account_settings(cx: &Cx) -> Result<AccountSettings> {
    let caller = cx.authorize(&ACCOUNT_SETTINGS).await?;
    Ok(db::load(&mut *caller.db().await?, caller.account).await?.unwrap_or_default())
}

pub static UPDATE_ACCOUNT_SETTINGS: Operation<AccountCaller> =
    Operation::account("updateAccountSettings", AccountPermission::SettingsEdit, Grants::Nothing);

/// Updates settings of the account.
///
/// Absent settings stay as they are. A change is published as `settings:updated` with all settings. An update
/// without a change writes nothing.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a setting is unknown or has a wrong value.
/// - 404: the account has no such overlay.
#[api_core::operation]
pub async fn update_account_settings(
    cx: &Cx,
    input: Input<UpdateAccountSettingsInput>,
) -> Result<AccountSettings> {
    let caller = cx.authorize(&UPDATE_ACCOUNT_SETTINGS).await?;
    let changes = input?.checked()?;
    let settings = caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock_account(connection, caller.account).await?;
            let before = db::load(connection, caller.account).await?.unwrap_or_default();
            let after = changes.applied_to(before.clone());
            if after == before {
                return Ok(before);
            }
            check_overlay(connection, caller.account, &before, &after).await?;
            save(cx, connection, &caller, &after, &changes.names()).await?;
            if after.timezone != before.timezone {
                let timezone = after.timezone.parse().unwrap_or(Tz::UTC);
                let now = cx.state().clock.now();
                next_runs::reschedule(connection, caller.account, timezone, now).await?;
            }
            Ok::<_, ApiError>(after)
        })
        .await?;
    if changes.names().contains(&"command_prefix") {
        // Lines that start automations are found by it.
        cx.changed(Invalidation::Automations { account_id: caller.account.uuid() }).await;
    }
    Ok(settings)
}

/// Checks that a new default overlay is one of the account's.
async fn check_overlay(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    before: &AccountSettings,
    after: &AccountSettings,
) -> Result<()> {
    match after.default_overlay_id {
        Some(overlay) if before.default_overlay_id != Some(overlay) => {
            let is_own = db::has_overlay(connection, account, overlay).await?;
            if is_own { Ok(()) } else { Err(ApiError::not_found("Overlay not found")) }
        }
        _ => Ok(()),
    }
}

async fn save(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    settings: &AccountSettings,
    changed: &[&str],
) -> Result<()> {
    let now = cx.state().clock.now();
    db::save(connection, caller.account, settings, now).await?;
    let entry = audit::Entry {
        metadata: json!({ "changed": changed }),
        ..cx.audit("settings:updated", "settings", caller.account)
    };
    audit::record(connection, entry).await?;
    let data = serde_json::to_value(settings)?;
    let event = Event::new(Channel::Account(caller.account.uuid()), "settings:updated", data, now);
    let key = format!("settings:updated:{}", event.id);
    Ok(outbox::add(connection, &PublishEvent { event }, &key).await?)
}
