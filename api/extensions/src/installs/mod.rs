//! Installed extensions (reference/extensions.md#installs).

mod changed;
mod configure;
pub mod db;
mod effective;
pub mod graphql;
mod install;
pub mod rest;
mod update;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, account_features},
    graphql::Json,
};
use diesel_async::AsyncConnection;
use extension_model::{abandon_uploads, retained_data};
use foundation::invalidation::Invalidation;
use juniper::{GraphQLInputObject, GraphQLObject};
use live_model::surfaces::remove_layers_of_install;
use serde::{Deserialize, Serialize};
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use changed::Change;
pub use configure::{CONFIGURE_EXTENSION, configure_extension};
pub use effective::{InstallEffective, InstallStopReason};
pub use install::{INSTALL_EXTENSION, install_extension};
pub use update::{ACCEPT_EXTENSION_UPDATE, accept_extension_update};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &EXTENSION_INSTALLS,
    &EXTENSION_INSTALL,
    &INSTALL_EXTENSION,
    &CONFIGURE_EXTENSION,
    &ACCEPT_EXTENSION_UPDATE,
    &UNINSTALL_EXTENSION,
];

/// An install of an extension in an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ExtensionInstall {
    /// Id.
    pub id: Uuid,
    /// Account.
    pub account_id: Uuid,
    /// Extension.
    pub extension_id: Uuid,
    /// Slug of the extension.
    pub extension_slug: String,
    /// Name of the extension.
    pub extension_name: String,
    /// `widget`, `bot_module`, `automation_node`, `theme` or `integration`; null before the first
    /// publication.
    pub category: Option<String>,
    /// Version that runs.
    pub version: String,
    /// Version at which updates stop; null when updates are followed.
    pub pinned_version: Option<String>,
    /// False when switched off or killed.
    pub enabled: bool,
    /// Effective state; an enabled install may still be stopped for another reason.
    pub effective: InstallEffective,
    /// Settings as the account set them; secrets are masked.
    pub config: Json,
    /// Settings that the running version declares, by key.
    pub config_schema: Json,
    /// Settings as the extension sees them, with defaults; secrets are masked.
    pub effective_config: Json,
    /// Permissions that the account granted.
    pub granted_permissions: Vec<String>,
    /// True when a newer current version exists.
    pub update_available: bool,
    /// True when the update waits for the account's consent.
    pub update_requires_consent: bool,
    /// Person who installed it; null when the person is gone.
    pub installed_by: Option<Uuid>,
    /// Time of the installation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// An extension to install.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct InstallExtensionInput {
    /// Extension.
    pub extension_id: Uuid,
    /// Settings by key, as the extension's `config_schema` declares them.
    pub config: Option<Json>,
    /// Exactly the permissions that the extension asks for: the account's consent.
    pub granted_permissions: Vec<String>,
}

/// Changes of an install; absent fields stay.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ConfigureExtensionInput {
    /// Replaces all settings. A masked secret keeps its value.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub config: Patch<Json>,
    /// `true` also lifts a kill.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
    /// Published version to stay at; null follows updates again.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub pinned_version: Patch<String>,
}

/// Consent to a newer version.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AcceptExtensionUpdateInput {
    /// Permissions that the newer version asks for beyond the granted ones.
    pub accept_permissions: Option<Vec<String>>,
}

pub static EXTENSION_INSTALLS: Operation<AccountCaller> =
    Operation::account("extensionInstalls", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions)
        .polled();

/// Lists the account's installs, oldest first.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn extension_installs(cx: &Cx) -> Result<Vec<ExtensionInstall>> {
    let caller = cx.authorize(&EXTENSION_INSTALLS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    db::views::list(&mut *caller.db().await?, caller.account, &features).await
}

pub static EXTENSION_INSTALL: Operation<AccountCaller> =
    Operation::account("extensionInstall", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions)
        .polled();

/// Returns one of the account's installs.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when the account has no such install.
#[api_core::operation]
pub async fn extension_install(cx: &Cx, id: Input<Uuid>) -> Result<ExtensionInstall> {
    let caller = cx.authorize(&EXTENSION_INSTALL).await?;
    let (id, features) = (id?, account_features(cx.state(), caller.account).await?);
    db::views::find(&mut *caller.db().await?, caller.account, id, &features).await?.ok_or_else(not_found)
}

pub static UNINSTALL_EXTENSION: Operation<AccountCaller> =
    Operation::account("uninstallExtension", AccountPermission::ExtensionStoreUninstall, Grants::Extensions)
        .feature(Feature::Extensions);

/// Uninstalls an extension from the account.
///
/// Tokens of the install's pages are deleted at once. Its data is kept for 30 days and taken over when the
/// extension is installed again; its uploads go 30 days after the account's last install of the extension.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when the account has no such install.
/// - 409 for a built-in extension.
#[api_core::operation]
pub async fn uninstall_extension(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&UNINSTALL_EXTENSION).await?;
    let id = id?;
    let revoked = caller
        .db()
        .await?
        .transaction(async |connection| {
            let install = db::locked(connection, caller.account, id).await?.ok_or_else(not_found)?;
            if install.visibility == "system" {
                return Err(ApiError::conflict("System extensions cannot be uninstalled"));
            }
            let (account, now) = (caller.account.uuid(), cx.state().clock.now());
            let user = cx.principal().author().map(|user| user.0);
            remove_layers_of_install(connection, account, id, user, now).await?;
            db::delete(connection, caller.account, id, install.extension_id).await?;
            retained_data::keep_after_uninstall(connection, account, install.extension_id, id, now).await?;
            abandon_uploads(connection, caller.account, install.extension_id, now).await?;
            let revoked = retained_data::revoke_tokens(connection, account, id).await?;
            let mut entry = cx.audit("extension:uninstalled", "extension_install", id);
            entry.metadata = serde_json::json!({ "extension_id": install.extension_id });
            foundation::audit::record(connection, entry).await?;
            Ok(revoked)
        })
        .await?;
    for token in revoked {
        cx.changed(token).await;
    }
    cx.changed(Invalidation::InstallRemoved { account_id: caller.account.uuid(), install_id: id }).await;
    Change::Removed { id }.announce(cx, caller.account).await;
    Ok(())
}

/// 404 of this resource.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Extension install not found")
}

/// Settings as an object; null means none.
fn settings(config: Option<Json>) -> Result<serde_json::Map<String, serde_json::Value>> {
    match config.map(|config| config.0) {
        None | Some(serde_json::Value::Null) => Ok(serde_json::Map::new()),
        Some(serde_json::Value::Object(settings)) => Ok(settings),
        Some(_) => Err(ApiError::invalid("config must be an object")),
    }
}

/// 400 for a refused setting.
fn refused(error: extension_model::ConfigError) -> ApiError {
    if error.key.is_empty() {
        return ApiError::invalid(format!("config {}", error.message));
    }
    ApiError::invalid(format!("config.{} {}", error.key, error.message))
}
