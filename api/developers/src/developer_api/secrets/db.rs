//! Queries over `extension_secrets`. Each carries the extension, whose ownership was checked before.

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::extension_secrets::dsl;
use uuid::Uuid;

use crate::envelope::Result;

/// Bound of the list; an extension has fewer secrets.
const MAX_ROWS: i64 = 100;

pub(super) async fn keys(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<Vec<String>> {
    Ok(dsl::extension_secrets
        .filter(dsl::extension_id.eq(extension))
        .order(dsl::key)
        .limit(MAX_ROWS)
        .select(dsl::key)
        .load(connection)
        .await?)
}

/// Number of secrets without the one of this key.
pub(super) async fn count_others(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    key: &str,
) -> Result<i64> {
    Ok(dsl::extension_secrets
        .filter(dsl::extension_id.eq(extension).and(dsl::key.ne(key)))
        .count()
        .get_result(connection)
        .await?)
}

pub(super) async fn put(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    key: &str,
    sealed: &[u8],
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(dsl::extension_secrets)
        .values((
            dsl::extension_id.eq(extension),
            dsl::key.eq(key),
            dsl::value.eq(sealed),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .on_conflict((dsl::extension_id, dsl::key))
        .do_update()
        .set((dsl::value.eq(sealed), dsl::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes a secret. Returns false when there is no such secret.
pub(super) async fn delete(connection: &mut AsyncPgConnection, extension: Uuid, key: &str) -> Result<bool> {
    let own = dsl::extension_secrets.filter(dsl::extension_id.eq(extension).and(dsl::key.eq(key)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}
