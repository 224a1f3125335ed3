//! Settings of the account (specification C B14, Settings).

mod changes;
mod currencies;
mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit,
    catalogue::AccountPermission,
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use changes::{
    UpdateAccountSettingsInput, UpdateAlertSettingsInput, UpdateChatSettingsInput, UpdatePrivacySettingsInput,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ACCOUNT_SETTINGS, &UPDATE_ACCOUNT_SETTINGS];

/// The language of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Locale {
    En,
    De,
}

/// How the account is set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AccountSettings {
    pub locale: Locale,
    /// A name of the IANA time zone database.
    pub timezone: String,
    /// Three letters of ISO 4217.
    pub currency: String,
    /// What chat commands begin with; 1 to 3 characters.
    pub command_prefix: String,
    pub chat: ChatSettings,
    pub alerts: AlertSettings,
    pub privacy: PrivacySettings,
    pub default_overlay_id: Option<Uuid>,
}

/// How the chat is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ChatSettings {
    /// Slugs of the platforms that are written to unless others are chosen.
    pub default_platforms: Vec<String>,
    pub show_timestamps: bool,
    pub highlight_mentions: bool,
    /// In pixels, 8 to 72.
    pub font_size: i32,
}

/// How alerts sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AlertSettings {
    pub muted: bool,
    /// In percent, 0 to 100.
    pub volume: i32,
}

/// What is kept of viewers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PrivacySettings {
    /// Whether chat messages are stored; they are shown live in any case.
    pub store_chat: bool,
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

/// How the account is set up.
pub static ACCOUNT_SETTINGS: Operation<AccountCaller> =
    Operation::account("accountSettings", AccountPermission::SettingsRead, Grants::Nothing);

/// How the account is set up.
///
/// # Errors
/// As the rule.
pub async fn account_settings(cx: &Cx) -> Result<AccountSettings> {
    let caller = cx.authorize(&ACCOUNT_SETTINGS).await?;
    Ok(db::load(&mut *caller.db().await?, caller.account).await?.unwrap_or_default())
}

/// Sets the account up anew.
pub static UPDATE_ACCOUNT_SETTINGS: Operation<AccountCaller> =
    Operation::account("updateAccountSettings", AccountPermission::SettingsEdit, Grants::Nothing);

/// Changes the settings that are given and leaves the others.
///
/// # Errors
/// As the rule; 400 for a wrong or unknown setting; 404 for an overlay that the account does not have.
pub async fn update_account_settings(
    cx: &Cx,
    input: Input<UpdateAccountSettingsInput>,
) -> Result<AccountSettings> {
    let caller = cx.authorize(&UPDATE_ACCOUNT_SETTINGS).await?;
    let changes = input?.checked()?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::hold_account(connection, caller.account).await?;
            let before = db::load(connection, caller.account).await?.unwrap_or_default();
            let after = changes.applied_to(before.clone());
            if after == before {
                return Ok(before);
            }
            check_overlay(&before, &after)?;
            save(cx, connection, &caller, &after, &changes.names()).await?;
            Ok(after)
        })
        .await
}

/// An account has no overlay that could be chosen as long as there are none: every id is one that it does not have.
fn check_overlay(before: &AccountSettings, after: &AccountSettings) -> Result<()> {
    if after.default_overlay_id.is_none() || after.default_overlay_id == before.default_overlay_id {
        return Ok(());
    }
    Err(ApiError::not_found("Overlay not found"))
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
    let event = Event::new(Channel::Account(caller.account.0), "settings:updated", data, now);
    let key = format!("settings:updated:{}", event.id);
    Ok(outbox::add(connection, &PublishEvent { event }, &key).await?)
}
