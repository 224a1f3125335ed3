//! Secrets of an extension (reference/developers.md#secrets). They are written and deleted here and read by
//! handlers only.

mod db;
pub mod rest;

use api_core::{
    Code, Cx, Input, Operation,
    access::{AnyOperation, Developer, Grants},
};
use developer_access::extensions::Owner;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::{
    limits::{self, LimitKey},
    seal_secret,
};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, TeamPermission},
    secret::Secret,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{extensions, rates::Rate};
use crate::{
    envelope::{DeveloperError, Result},
    owners,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&DEVELOPER_API_SECRETS, &DEVELOPER_API_SET_SECRET, &DEVELOPER_API_DELETE_SECRET];

const MAX_KEY_LENGTH: usize = 255;
/// Maximum size of a value.
pub(crate) const MAX_VALUE_BYTES: usize = 64 * 1024;

/// Names of an extension's secrets.
#[derive(Debug, Serialize, ToSchema)]
pub struct SecretKeys {
    /// Names, in alphabetical order.
    pub keys: Vec<String>,
}

/// Value of a secret.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SecretBody {
    /// 1 byte to 64 KiB. The value is never returned.
    #[schema(value_type = String, extensions(("maxLength" = json!(MAX_VALUE_BYTES))))]
    pub value: SecretValue,
}

/// A value that is not printed.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub struct SecretValue(pub(crate) Secret);

impl From<String> for SecretValue {
    fn from(text: String) -> Self {
        Self(Secret::new(text))
    }
}

pub static DEVELOPER_API_SECRETS: Operation<Developer> =
    Operation::developer("developerApiSecrets", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .in_team(&[TeamPermission::TeamSecretsRead]);

/// Lists the names of an extension's secrets.
///
/// Values are never returned.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension.
/// - 429 above 120 GET requests of the person in a minute.
#[api_core::operation]
pub async fn developer_api_secrets(cx: &Cx, id: Input<Uuid>) -> Result<SecretKeys> {
    let developer = cx.authorize(&DEVELOPER_API_SECRETS).await?;
    Rate::Get.count(cx, &developer).await?;
    let mut connection = developer.db().await?;
    let id = id?;
    let owner = owners::required(&mut connection, &DEVELOPER_API_SECRETS, developer.user, id).await?;
    keys(&mut connection, &owner, id).await
}

pub static DEVELOPER_API_SET_SECRET: Operation<Developer> =
    Operation::developer("developerApiSetSecret", AccountPermission::ExtensionDevEdit, Grants::Nothing)
        .in_team(&[TeamPermission::TeamSecretsEdit]);

/// Sets a secret of an extension, or replaces it.
///
/// The value is encrypted and never returned. Handlers read it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension.
/// - 422 for a key or value out of bounds, and above 20 secrets.
#[api_core::operation]
pub async fn developer_api_set_secret(
    cx: &Cx,
    id: Input<Uuid>,
    key: &str,
    body: Input<SecretBody>,
) -> Result<()> {
    let developer = cx.authorize(&DEVELOPER_API_SET_SECRET).await?;
    let (id, body) = (id?, body?);
    let mut connection = developer.db().await?;
    let owner = owners::required(&mut connection, &DEVELOPER_API_SET_SECRET, developer.user, id).await?;
    set(cx, &mut connection, &owner, id, key, body.value).await
}

pub static DEVELOPER_API_DELETE_SECRET: Operation<Developer> =
    Operation::developer("developerApiDeleteSecret", AccountPermission::ExtensionDevEdit, Grants::Nothing)
        .in_team(&[TeamPermission::TeamSecretsEdit]);

/// Deletes a secret of an extension.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension, or the extension has no such secret.
/// - 429 above 30 DELETE requests of the person in a minute.
#[api_core::operation]
pub async fn developer_api_delete_secret(cx: &Cx, id: Input<Uuid>, key: &str) -> Result<()> {
    let developer = cx.authorize(&DEVELOPER_API_DELETE_SECRET).await?;
    Rate::Delete.count(cx, &developer).await?;
    let id = id?;
    let mut connection = developer.db().await?;
    let owner = owners::required(&mut connection, &DEVELOPER_API_DELETE_SECRET, developer.user, id).await?;
    delete(cx, &mut connection, &owner, id, key).await
}

/// Names of the secrets of the developer's extension.
///
/// # Errors
/// 404 when the developer has no such extension.
pub(crate) async fn keys(connection: &mut AsyncPgConnection, owner: &Owner, id: Uuid) -> Result<SecretKeys> {
    let extension = extensions::db::find(connection, owner, id).await?;
    Ok(SecretKeys { keys: db::keys(connection, extension.id).await? })
}

/// Sets or replaces a secret of the developer's extension.
///
/// # Errors
/// 404 when the developer has no such extension; 422 for a key or value out of bounds, and above 20 secrets.
pub(crate) async fn set(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    id: Uuid,
    key: &str,
    SecretValue(value): SecretValue,
) -> Result<()> {
    let key = checked_key(key)?;
    if !(1..=MAX_VALUE_BYTES).contains(&value.expose().len()) {
        return Err(DeveloperError::invalid(format!("value must be between 1 and {MAX_VALUE_BYTES} bytes")));
    }
    let sealed = seal_secret(&cx.state().keyring, id, key, &value)?;
    connection
        .transaction(async |connection| {
            extensions::db::find_locked(connection, owner, id).await?;
            let max = limits::of_extension(connection, id, LimitKey::MaxSecrets).await?;
            if db::count_others(connection, id, key).await? >= max {
                let message = format!("An extension can have at most {max} secrets");
                return Err(DeveloperError::invalid(message).on_main(Code::PlanLimitReached));
            }
            db::put(connection, id, key, &sealed, cx.state().clock.now()).await?;
            record(cx, connection, "extension:secret_set", id, key).await
        })
        .await
}

/// Deletes a secret of the developer's extension.
///
/// # Errors
/// 404 when the developer has no such extension, or the extension has no such secret.
pub(crate) async fn delete(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    id: Uuid,
    key: &str,
) -> Result<()> {
    connection
        .transaction(async |connection| {
            extensions::db::find_locked(connection, owner, id).await?;
            if !db::delete(connection, id, key).await? {
                return Err(DeveloperError::not_found("secret_not_found", "Secret not found"));
            }
            record(cx, connection, "extension:secret_deleted", id, key).await
        })
        .await
}

async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    extension: Uuid,
    key: &str,
) -> Result<()> {
    let mut entry = cx.audit(action, "extension", extension);
    entry.metadata = serde_json::json!({ "key": key });
    Ok(foundation::audit::record(connection, entry).await?)
}

fn checked_key(key: &str) -> Result<&str> {
    let is_plain = key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    if is_plain && (1..=MAX_KEY_LENGTH).contains(&key.len()) {
        return Ok(key);
    }
    Err(DeveloperError::invalid("key must be 1 to 255 letters, digits, `_`, `-` and `.`"))
}
