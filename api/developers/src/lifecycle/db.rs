//! Queries over the states of extensions, and over the installs that run a version.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Array, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::{extension_installs, extension_versions};
use uuid::Uuid;

/// Accounts that are notified at once; the workers of further ones poll.
const MAX_RUNNERS: i64 = 1000;

/// Moves an extension to another state if it is in one of the given states
/// (reference/developers.md#extension-states). For a suspended extension the state after the suspension is
/// moved.
pub(crate) async fn move_extension(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    from: &[&str],
    to: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    sql_query(
        "UPDATE extensions SET updated_at = $4,
                status = CASE WHEN suspended_from IS NULL THEN $3 ELSE status END,
                suspended_from = CASE WHEN suspended_from IS NULL THEN NULL ELSE $3 END
         WHERE id = $1 AND coalesce(suspended_from, status) = ANY($2)",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<Array<Text>, _>(from)
    .bind::<Text, _>(to)
    .bind::<Timestamptz, _>(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Moves an extension that is not approved into review (reference/developers.md#extension-states).
pub(crate) async fn into_review(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    move_extension(connection, extension, &["draft", "rejected"], "in_review", now).await
}

/// Accounts with an install that runs the version.
pub(crate) async fn runners(connection: &mut AsyncPgConnection, version: Uuid) -> Result<Vec<Uuid>> {
    let extension = extension_versions::table.find(version).select(extension_versions::extension_id);
    Ok(extension_installs::table
        .filter(extension_installs::extension_id.eq_any(extension))
        .filter(extension_installs::version_id.eq(version))
        .select(extension_installs::account_id)
        .distinct()
        .limit(MAX_RUNNERS)
        .load(connection)
        .await?)
}
