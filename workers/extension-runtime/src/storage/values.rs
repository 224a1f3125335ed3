//! Key-value storage of `ctx.db`.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use sandbox::{HostError, ListValues, SetValue, ValueAt};
use serde_json::{Value, json};

use super::{
    Owner,
    problem::Problem,
    quota::{QuotaKey, UsageChanges},
    tables::has_nul,
};

/// Maximum length of a key, in bytes.
const MAX_KEY_LENGTH: usize = 255;
/// Maximum number of keys that a list returns.
pub(crate) const MAX_ROWS: i64 = 1000;
/// Maximum size of a list, in bytes of JSON.
pub(crate) const MAX_LIST_BYTES: i64 = 4 * 1024 * 1024;

#[derive(QueryableByName)]
struct Stored {
    #[diesel(sql_type = Jsonb)]
    value: Value,
}

#[derive(QueryableByName)]
struct Size {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

#[derive(QueryableByName)]
struct Entry {
    #[diesel(sql_type = Text)]
    key: String,
    /// Null when all of them together are too large.
    #[diesel(sql_type = Nullable<Jsonb>)]
    value: Option<Value>,
}

pub(super) async fn get(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    at: &ValueAt,
) -> Result<Value, Problem> {
    let quota_key = QuotaKey::of_values(owner, at.scope)?;
    checked_key("ctx.db.get", &at.key)?;
    let stored: Option<Stored> = sql_query(
        "SELECT value FROM extension_values
         WHERE extension_id = $1 AND scope = $2 AND subject = $3 AND owner = $4 AND key = $5",
    )
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<Text, _>(quota_key.scope())
    .bind::<SqlUuid, _>(quota_key.subject())
    .bind::<Text, _>(quota_key.owner())
    .bind::<Text, _>(&at.key)
    .prepared()
    .get_result(connection)
    .await
    .optional()?;
    Ok(stored.map_or(Value::Null, |stored| stored.value))
}

pub(super) async fn set(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    set: &SetValue,
    usage: &mut UsageChanges,
    now: DateTime<Utc>,
) -> Result<Value, Problem> {
    let quota_key = QuotaKey::of_values(owner, set.scope)?;
    checked_key("ctx.db.set", &set.key)?;
    let bytes = size_of(set, usage.max_value_bytes())?;
    let before = locked_size(connection, owner, &quota_key, &set.key).await?;
    let added_keys = i64::from(before.is_none());
    usage.add(connection, quota_key.clone(), bytes - before.unwrap_or(0), added_keys).await?;
    sql_query(
        "INSERT INTO extension_values (extension_id, scope, subject, owner, key, account_id, value, bytes, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (extension_id, scope, subject, owner, key)
         DO UPDATE SET value = excluded.value, bytes = excluded.bytes, updated_at = excluded.updated_at",
    )
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<Text, _>(quota_key.scope())
    .bind::<SqlUuid, _>(quota_key.subject())
    .bind::<Text, _>(quota_key.owner())
    .bind::<Text, _>(&set.key)
    .bind::<Nullable<SqlUuid>, _>(quota_key.account_id())
    .bind::<Jsonb, _>(&set.value)
    .bind::<BigInt, _>(bytes)
    .bind::<Timestamptz, _>(now)
    .prepared()
    .execute(connection)
    .await?;
    Ok(Value::Null)
}

pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    at: &ValueAt,
    usage: &mut UsageChanges,
) -> Result<Value, Problem> {
    let quota_key = QuotaKey::of_values(owner, at.scope)?;
    checked_key("ctx.db.delete", &at.key)?;
    let deleted: Option<Size> = sql_query(
        "DELETE FROM extension_values
         WHERE extension_id = $1 AND scope = $2 AND subject = $3 AND owner = $4 AND key = $5 RETURNING bytes",
    )
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<Text, _>(quota_key.scope())
    .bind::<SqlUuid, _>(quota_key.subject())
    .bind::<Text, _>(quota_key.owner())
    .bind::<Text, _>(&at.key)
    .prepared()
    .get_result(connection)
    .await
    .optional()?;
    let Some(deleted) = deleted else { return Ok(json!(false)) };
    usage.add(connection, quota_key, -deleted.bytes, -1).await?;
    Ok(json!(true))
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    list: &ListValues,
) -> Result<Value, Problem> {
    let quota_key = QuotaKey::of_values(owner, list.scope)?;
    checked_prefix(&list.prefix)?;
    // The sizes are added up before any value is read.
    let entries: Vec<Entry> = sql_query(
        "SELECT key, CASE WHEN sum(bytes) OVER () <= $7 THEN value END AS value
         FROM (SELECT key, value, bytes FROM extension_values
               WHERE extension_id = $1 AND scope = $2 AND subject = $3 AND owner = $4 AND starts_with(key, $5)
               ORDER BY key COLLATE \"C\" LIMIT $6) AS found
         ORDER BY key COLLATE \"C\"",
    )
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<Text, _>(quota_key.scope())
    .bind::<SqlUuid, _>(quota_key.subject())
    .bind::<Text, _>(quota_key.owner())
    .bind::<Text, _>(&list.prefix)
    .bind::<BigInt, _>(MAX_ROWS)
    .bind::<BigInt, _>(MAX_LIST_BYTES)
    .prepared()
    .load(connection)
    .await?;
    let entries =
        entries.into_iter().map(|Entry { key, value }| Some(json!({ "key": key, "value": value? })));
    entries.collect::<Option<Value>>().ok_or_else(|| list_too_large().into())
}

/// Returns the size of a value that is about to change, locked until the transaction ends.
async fn locked_size(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    quota_key: &QuotaKey,
    key: &str,
) -> Result<Option<i64>, Problem> {
    let size: Option<Size> = sql_query(
        "SELECT bytes FROM extension_values
         WHERE extension_id = $1 AND scope = $2 AND subject = $3 AND owner = $4 AND key = $5 FOR UPDATE",
    )
    .bind::<SqlUuid, _>(owner.extension_id)
    .bind::<Text, _>(quota_key.scope())
    .bind::<SqlUuid, _>(quota_key.subject())
    .bind::<Text, _>(quota_key.owner())
    .bind::<Text, _>(key)
    .prepared()
    .get_result(connection)
    .await
    .optional()?;
    Ok(size.map(|size| size.bytes))
}

/// Returns the refusal of a list whose values are too large together.
pub(crate) fn list_too_large() -> HostError {
    HostError::limit("ctx.db.list: the values are larger than 4 MB together; use a longer prefix")
}

/// Returns the bytes of a value for its quota.
///
/// # Errors
/// A value that is too large or contains NUL characters.
pub(crate) fn size_of(set: &SetValue, max: usize) -> Result<i64, HostError> {
    let size = set.value.to_string().len();
    if size > max {
        let message = format!("ctx.db.set: the value is {size} bytes of JSON; the limit is {max}");
        return Err(HostError::limit(message));
    }
    if has_nul(&set.value) {
        return Err(HostError::argument("ctx.db.set: the value must not contain NUL characters"));
    }
    Ok(i64::try_from(set.key.len() + size).unwrap_or(i64::MAX))
}

/// Checks the prefix of a list.
///
/// # Errors
/// A prefix that no key can have.
pub(crate) fn checked_prefix(prefix: &str) -> Result<(), HostError> {
    if prefix.len() <= MAX_KEY_LENGTH && !prefix.contains('\0') {
        return Ok(());
    }
    Err(HostError::argument(format!("ctx.db.list: the prefix must have at most {MAX_KEY_LENGTH} bytes")))
}

/// Checks a key.
///
/// # Errors
/// A key that is empty, too long or contains NUL characters.
pub(crate) fn checked_key(what: &str, key: &str) -> Result<(), HostError> {
    if (1..=MAX_KEY_LENGTH).contains(&key.len()) && !key.contains('\0') {
        return Ok(());
    }
    Err(HostError::argument(format!("{what}: the key must have 1 to {MAX_KEY_LENGTH} bytes and no NUL")))
}
