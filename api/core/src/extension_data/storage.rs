//! The shared storage of an install: one object, read and replaced as a whole (C B4).

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::{Map, Value, json};
use shared::{
    catalogue::AccountPermission,
    db::schema::extension_storage,
    events::{Channel, Event},
    id::AccountId,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{FunctionCaller, installed, not_found};
use crate::{
    ApiError, Result, State,
    graphql::{Int64, Json},
};

/// Bytes of JSON under one key, and keys (C B4).
const MAX_VALUE_BYTES: usize = 64 * 1024;
const MAX_KEYS: usize = 1000;
const MAX_KEY_LENGTH: usize = 255;

/// What an install shares between its pages.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ExtensionStorage {
    /// An object.
    pub value: Json,
    /// Grows with every change; 0 before the first.
    pub version: Int64,
}

/// A new content.
#[derive(Debug, Clone, PartialEq)]
pub struct StorageChange {
    pub value: Value,
    /// The version that it replaces, if that matters.
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
/// 404 when the account has no such install.
pub async fn storage_of(state: &State, account: AccountId, install: Uuid) -> Result<ExtensionStorage> {
    let mut connection = state.databases.postgres.get().await?;
    let install = installed(&mut connection, account, install).await?.ok_or_else(not_found)?;
    let stored: Option<(Value, i64)> = extension_storage::table
        .filter(extension_storage::install_id.eq(install.id))
        .filter(extension_storage::account_id.eq(account.0))
        .select((extension_storage::value, extension_storage::version))
        .first(&mut connection)
        .await
        .optional()?;
    let (value, version) = stored.unwrap_or((json!({}), 0));
    Ok(ExtensionStorage { value: Json(value), version: Int64(version) })
}

/// Replaces the storage of an install and tells its pages.
///
/// # Errors
/// 403 without the permission; 400 that names the key; 404 when the account has no such install; 409 when the version
/// is another than the one that was to be replaced.
pub async fn set_storage(
    state: &State,
    caller: &FunctionCaller,
    install: Uuid,
    change: StorageChange,
) -> Result<ExtensionStorage> {
    caller.may(install, AccountPermission::ExtensionDataEdit)?;
    let value = checked(&change.value)?;
    let mut connection = state.databases.postgres.get().await?;
    let (account, now) = (caller.account, state.clock.now());
    let version = connection
        .transaction(async |connection| {
            let install = installed(connection, account, install).await?.ok_or_else(not_found)?;
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
    // Not kept: it can be a megabyte, and whoever missed it reads the storage.
    if let Err(error) = state.events.publish(&event).await {
        tracing::warn!(%install, %error, "pages of an install are not told of its storage");
    }
    Ok(ExtensionStorage { value: Json(Value::Object(value.clone())), version: Int64(version) })
}

/// The new version; `None` when another one stands than the expected.
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
        .filter(extension_storage::account_id.eq(account.0))
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
    if fields.len() > MAX_KEYS {
        return Err(ApiError::invalid(format!("value must have at most {MAX_KEYS} keys")));
    }
    for (key, value) in fields {
        let shown = &key[..key.floor_char_boundary(64)];
        if !(1..=MAX_KEY_LENGTH).contains(&key.len()) {
            return Err(ApiError::invalid(format!(
                "value.{shown}: a key must have 1 to {MAX_KEY_LENGTH} bytes"
            )));
        }
        if value.to_string().len() > MAX_VALUE_BYTES {
            return Err(ApiError::invalid(format!(
                "value.{shown} must have at most {MAX_VALUE_BYTES} bytes as JSON"
            )));
        }
        if key.contains('\0') || has_nul(value) {
            return Err(ApiError::invalid(format!("value.{shown} must not contain NUL characters")));
        }
    }
    Ok(fields)
}

/// PostgreSQL stores no NUL in JSON.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
