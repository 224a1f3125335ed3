//! Installed extensions (specification C B4).

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
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature},
    extensions::{abandon_uploads, kept_data},
    invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use changed::Change;
pub use configure::{CONFIGURE_EXTENSION, configure_extension};
pub use effective::{InstallEffective, InstallStopReason, needed_features};
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

/// An extension in an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ExtensionInstall {
    pub id: Uuid,
    pub account_id: Uuid,
    pub extension_id: Uuid,
    pub extension_slug: String,
    pub extension_name: String,
    /// `widget`, `bot_module`, `automation_node`, `theme` or `integration`; null before the first publication.
    pub category: Option<String>,
    /// The version that runs.
    pub version: String,
    /// The version that updates stop at; null when updates are followed.
    pub pinned_version: Option<String>,
    /// False when switched off or killed.
    pub enabled: bool,
    /// Whether it runs; what is enabled may still be stopped by something else.
    pub effective: InstallEffective,
    /// As the account set it; secret settings are masked.
    pub config: Json,
    /// The settings that the running version declares, by key.
    pub config_schema: Json,
    /// The settings as the extension sees them: defaults where the account set nothing; secret settings are masked.
    pub effective_config: Json,
    pub granted_permissions: Vec<String>,
    pub update_available: bool,
    /// Whether the update waits for the account's consent.
    pub update_requires_consent: bool,
    /// Null when the person is gone.
    pub installed_by: Option<Uuid>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What is to be installed.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct InstallExtensionInput {
    pub extension_id: Uuid,
    /// Settings by key, as the extension's `config_schema` declares them.
    pub config: Option<Json>,
    /// Exactly the permissions that the extension asks for: the account's consent.
    pub granted_permissions: Vec<String>,
}

/// What is to change; what is left out stays.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ConfigureExtensionInput {
    /// Replaces all settings. A masked secret stays as it is.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub config: Patch<Json>,
    /// `true` also lifts a kill.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
    /// A published version to stay at; null follows updates again.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub pinned_version: Patch<String>,
}

/// Consent to a newer version.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AcceptExtensionUpdateInput {
    /// The permissions that the newer version asks for beyond the granted ones.
    pub accept_permissions: Option<Vec<String>>,
}

/// The account's extensions.
pub static EXTENSION_INSTALLS: Operation<AccountCaller> =
    Operation::account("extensionInstalls", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions);

/// Lists the account's extensions, oldest first.
///
/// # Errors
/// As the rule.
pub async fn extension_installs(cx: &Cx) -> Result<Vec<ExtensionInstall>> {
    let caller = cx.authorize(&EXTENSION_INSTALLS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    db::list(&mut *caller.db().await?, caller.account, &features).await
}

/// One of the account's extensions.
pub static EXTENSION_INSTALL: Operation<AccountCaller> =
    Operation::account("extensionInstall", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions);

/// Reads one of the account's extensions.
///
/// # Errors
/// As the rule; 404 when the account has no such install.
pub async fn extension_install(cx: &Cx, id: Input<Uuid>) -> Result<ExtensionInstall> {
    let caller = cx.authorize(&EXTENSION_INSTALL).await?;
    let (id, features) = (id?, account_features(cx.state(), caller.account).await?);
    db::find(&mut *caller.db().await?, caller.account, id, &features).await?.ok_or_else(not_found)
}

/// Removes an extension.
pub static UNINSTALL_EXTENSION: Operation<AccountCaller> =
    Operation::account("uninstallExtension", AccountPermission::ExtensionStoreUninstall, Grants::Extensions)
        .feature(Feature::Extensions);

/// Removes an extension from the account.
///
/// # Errors
/// As the rule; 404 when the account has no such install; 409 for a built-in extension.
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
            db::delete(connection, caller.account, id, install.extension_id).await?;
            let (account, now) = (caller.account.0, cx.state().clock.now());
            kept_data::keep_after_uninstall(connection, account, install.extension_id, id, now).await?;
            abandon_uploads(connection, caller.account, install.extension_id, now).await?;
            let revoked = kept_data::revoke_tokens(connection, account, id).await?;
            let mut entry = cx.audit("extension:uninstalled", "extension_install", id);
            entry.metadata = serde_json::json!({ "extension_id": install.extension_id });
            shared::audit::record(connection, entry).await?;
            Ok(revoked)
        })
        .await?;
    for token in revoked {
        cx.changed(token).await;
    }
    cx.changed(Invalidation::InstallRemoved { account_id: caller.account.0, install_id: id }).await;
    Change::Removed { id }.announce(cx, caller.account).await;
    Ok(())
}

/// 404 of this resource.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Extension install not found")
}

/// The settings as an object.
fn settings(config: Option<Json>) -> Result<serde_json::Map<String, serde_json::Value>> {
    match config.map(|config| config.0) {
        None | Some(serde_json::Value::Null) => Ok(serde_json::Map::new()),
        Some(serde_json::Value::Object(settings)) => Ok(settings),
        Some(_) => Err(ApiError::invalid("config must be an object")),
    }
}

/// A refusal of a setting.
fn refused(error: shared::extensions::ConfigError) -> ApiError {
    if error.key.is_empty() {
        return ApiError::invalid(format!("config {}", error.message));
    }
    ApiError::invalid(format!("config.{} {}", error.key, error.message))
}
