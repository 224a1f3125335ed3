//! Queries over `system_keys`, which belong to the deployment.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::system_keys::{self, dsl},
};
use uuid::Uuid;

use super::AdminSystemKey;

/// Maximum number of keys of a deployment. The list shows as many.
pub(super) const MAX_KEYS: i64 = 1000;

#[derive(Insertable)]
#[diesel(table_name = system_keys)]
pub(super) struct NewSystemKey<'a> {
    pub id: Uuid,
    pub label: &'a str,
    pub key_hash: &'a [u8],
    pub key_prefix: &'a str,
    pub created_by: UserId,
    pub created_at: DateTime<Utc>,
}

pub(super) async fn list(connection: &mut AsyncPgConnection) -> Result<Vec<AdminSystemKey>> {
    Ok(dsl::system_keys
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(MAX_KEYS)
        .select(AdminSystemKey::as_select())
        .load(connection)
        .await?)
}

/// Number of keys. Blocks other creations until the transaction ends, so that the count stays true until the
/// insert.
pub(super) async fn lock_and_count(connection: &mut AsyncPgConnection) -> Result<i64> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended('system_keys', 0))").execute(connection).await?;
    Ok(dsl::system_keys.count().get_result(connection).await?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    key: &NewSystemKey<'_>,
) -> Result<AdminSystemKey> {
    Ok(insert_into(dsl::system_keys)
        .values(key)
        .returning(AdminSystemKey::as_returning())
        .get_result(connection)
        .await?)
}

/// Label of the deleted key, if it existed.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<String>> {
    Ok(diesel::delete(dsl::system_keys.find(id))
        .returning(dsl::label)
        .get_result(connection)
        .await
        .optional()?)
}
