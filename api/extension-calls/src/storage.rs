//! Shared storage of an install: one object, read and replaced as a whole
//! (reference/extensions.md#shared-storage).

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use extension_model::limits::{self, LimitKey, ResolvedLimits};
use foundation::events::{Channel, Event};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::{Map, Value, json};
use shared::{catalogue::AccountPermission, id::AccountId, schema::extension_storage};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{FunctionCaller, installed, not_found};
use api_core::{
    ApiError, Cx, Result,
    access::{AccountCaller, DatabaseAccess},
    graphql::{Int64, Json},
};

/// Longest key, in bytes.
const MAX_KEY_LENGTH: usize = 255;

/// Shared storage of an install.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ExtensionStorage {
    /// JSON object; empty before the first change.
    pub value: Json,
    /// Number of changes; 0 before the first.
    pub version: Int64,
}

/// New content of the storage.
#[derive(Debug, Clone, PartialEq)]
pub struct StorageChange {
    /// JSON object that replaces the stored one.
    pub value: Value,
    /// Version that it must replace; `None` to replace any version.
    pub if_version: Option<i64>,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = BigInt)]
    version: i64,
}

/// Reads the storage of an install.
///
/// # Errors
/// 404 for an install that the account does not have.
pub async fn storage_of(caller: &AccountCaller, install: Uuid) -> Result<ExtensionStorage> {
    let (account, mut connection) = (caller.account, caller.db().await?);
    let install = installed(&mut connection, account, install).await?.ok_or_else(not_found)?;
    let stored: Option<(Value, i64)> = extension_storage::table
        .filter(extension_storage::install_id.eq(install.id))
        .filter(extension_storage::account_id.eq(account.uuid()))
        .select((extension_storage::value, extension_storage::version))
        .first(&mut connection)
        .await
        .optional()?;
    let (value, version) = stored.unwrap_or((json!({}), 0));
    Ok(ExtensionStorage { value: Json(value), version: Int64(version) })
}

/// Replaces the storage of an install and publishes `storage:updated` to its pages.
///
/// # Errors
/// 403 without the permission. 400 that names the key. 404 for an install that the account does not have. 409
/// when the stored version is another than the expected.
pub async fn set_storage(
    cx: &Cx,
    access: &impl DatabaseAccess,
    caller: &FunctionCaller,
    install: Uuid,
    change: StorageChange,
) -> Result<ExtensionStorage> {
    caller.may(install, AccountPermission::ExtensionDataEdit)?;
    let value = checked(&change.value)?;
    let mut connection = access.db().await?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let version = connection
        .transaction(async |connection| {
            let install = installed(connection, account, install).await?.ok_or_else(not_found)?;
            within(value, &limits::for_extension(connection, install.extension_id).await?)?;
            let replaced = replace(connection, &install, value, change.if_version, now).await?;
            match replaced {
                Some(version) => Ok(version),
                None => Err(conflict(connection, account, install.id).await?),
            }
        })
        .await?;
    drop(connection);
    let data = json!({ "value": value, "version": version });
    let event = Event::new(Channel::ExtStorage(install), "storage:updated", data, now);
    let state = cx.state().clone();
    cx.after_commit(async move {
        // The event is not logged: it can be a megabyte, and a page that missed it reads the storage.
        if let Err(error) = state.events.publish(&event).await {
            tracing::warn!(%install, %error, "pages of an install were not notified of its storage");
        }
    })
    .await;
    Ok(ExtensionStorage { value: Json(Value::Object(value.clone())), version: Int64(version) })
}

/// Writes the storage and returns its new version; `None` when the stored version is another than the
/// expected.
async fn replace(
    connection: &mut AsyncPgConnection,
    install: &super::Installed,
    value: &Map<String, Value>,
    if_version: Option<i64>,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<Option<i64>> {
    let replaced: Option<Version> = sql_query(
        "INSERT INTO extension_storage AS stored (install_id, account_id, extension_id, value, version, updated_at)
         SELECT $1, $2, $3, $4, 1, $5
         WHERE coalesce($6, 0) = 0 OR EXISTS (SELECT 1 FROM extension_storage WHERE install_id = $1)
         ON CONFLICT (install_id) DO UPDATE
         SET value = excluded.value, version = stored.version + 1, updated_at = excluded.updated_at
         WHERE stored.account_id = $2 AND ($6 IS NULL OR stored.version = $6)
         RETURNING version",
    )
    .bind::<SqlUuid, _>(install.id)
    .bind::<SqlUuid, _>(install.account_id)
    .bind::<SqlUuid, _>(install.extension_id)
    .bind::<Jsonb, _>(Value::Object(value.clone()))
    .bind::<Timestamptz, _>(now)
    .bind::<Nullable<BigInt>, _>(if_version)
    .get_result(connection)
    .await
    .optional()?;
    Ok(replaced.map(|replaced| replaced.version))
}

async fn conflict(connection: &mut AsyncPgConnection, account: AccountId, install: Uuid) -> Result<ApiError> {
    let version: Option<i64> = extension_storage::table
        .filter(extension_storage::install_id.eq(install))
        .filter(extension_storage::account_id.eq(account.uuid()))
        .select(extension_storage::version)
        .first(connection)
        .await
        .optional()?;
    let version = version.unwrap_or(0);
    Ok(ApiError::conflict(format!("The storage has changed: its version is {version}"))
        .with_details(json!({ "version": version })))
}

fn checked(value: &Value) -> Result<&Map<String, Value>> {
    let fields = value.as_object().ok_or_else(|| ApiError::invalid("value must be an object"))?;
    for (key, value) in fields {
        let shown = shown(key);
        if !(1..=MAX_KEY_LENGTH).contains(&key.len()) {
            return Err(ApiError::invalid(format!(
                "value.{shown}: a key must have 1 to {MAX_KEY_LENGTH} bytes"
            )));
        }
        if key.contains('\0') || has_nul(value) {
            return Err(ApiError::invalid(format!("value.{shown} must not contain NUL characters")));
        }
    }
    Ok(fields)
}

/// Checks a content against the limits of its extension (reference/developer-limits.md#keys).
fn within(fields: &Map<String, Value>, limits: &ResolvedLimits) -> Result<()> {
    let max_keys = limits.size(LimitKey::StorageKeysInstall);
    if fields.len() > max_keys {
        return Err(ApiError::invalid(format!("value must have at most {max_keys} keys")));
    }
    let (max_value, max_bytes) =
        (limits.size(LimitKey::ValueBytes), limits.size(LimitKey::StorageInstallBytes));
    let mut bytes = 0;
    for (key, value) in fields {
        let length = value.to_string().len();
        if length > max_value {
            let message = format!("value.{} must have at most {max_value} bytes as JSON", shown(key));
            return Err(ApiError::invalid(message));
        }
        bytes += key.len() + length;
    }
    if bytes > max_bytes {
        return Err(ApiError::invalid(format!("value must have at most {max_bytes} bytes")));
    }
    Ok(())
}

/// Beginning of a key, for a message.
fn shown(key: &str) -> &str {
    &key[..key.floor_char_boundary(64)]
}

/// True for a value with NUL characters, which PostgreSQL cannot store in JSON.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
