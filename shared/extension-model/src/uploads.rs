//! Files that installed extensions store for accounts (reference/extensions.md#uploads): removal after the
//! last install or the extension is gone. They count against the account's storage.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use shared::{Result, id::AccountId};

/// Starts the retention of an extension's uploads if the account has no install of it any more. Call it in
/// the transaction that removed one.
///
/// # Errors
/// Database failure.
pub async fn abandon_uploads(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    extension: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    sql_query(
        "UPDATE extension_uploads SET abandoned_at = $3
         WHERE account_id = $1 AND extension_id = $2 AND abandoned_at IS NULL
           AND NOT EXISTS (SELECT FROM extension_installs WHERE account_id = $1 AND extension_id = $2)",
    )
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<SqlUuid, _>(extension)
    .bind::<Timestamptz, _>(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Keeps the uploads of an extension that the account installs again.
///
/// # Errors
/// Database failure.
pub async fn adopt_uploads(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    extension: Uuid,
) -> Result<()> {
    sql_query(
        "UPDATE extension_uploads SET abandoned_at = NULL
         WHERE account_id = $1 AND extension_id = $2 AND abandoned_at IS NOT NULL",
    )
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<SqlUuid, _>(extension)
    .execute(connection)
    .await?;
    Ok(())
}

/// Gives the removed bytes back to the accounts and records the objects for removal.
const FREED: &str = "
    freed AS (
        UPDATE account_usage SET used = greatest(used - sums.bytes, 0)
        FROM (SELECT account_id, sum(size_bytes)::bigint AS bytes FROM gone GROUP BY account_id) AS sums
        WHERE account_usage.account_id = sums.account_id AND quota = 'storage_bytes'),
    noted AS (
        INSERT INTO unclaimed_objects (storage_key, noted_at) SELECT DISTINCT storage_key, $1 FROM objects
        ORDER BY storage_key
        ON CONFLICT (storage_key) DO UPDATE SET noted_at = excluded.noted_at)
    SELECT count(*) AS uploads FROM gone";

#[derive(QueryableByName)]
struct Gone {
    #[diesel(sql_type = BigInt)]
    uploads: i64,
}

/// Removes up to `limit` uploads that were abandoned before a time. Returns their number.
///
/// # Errors
/// Database failure.
pub async fn remove_abandoned_uploads(
    connection: &mut AsyncPgConnection,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<i64> {
    let sql = format!(
        "WITH gone AS (
             DELETE FROM extension_uploads WHERE id IN (
                 SELECT id FROM extension_uploads WHERE abandoned_at < $2
                 ORDER BY abandoned_at LIMIT $3 FOR UPDATE SKIP LOCKED)
             RETURNING account_id, size_bytes, storage_key),
         objects AS (SELECT storage_key FROM gone),{FREED}"
    );
    let gone: Gone = sql_query(sql)
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(before)
        .bind::<BigInt, _>(limit)
        .get_result(connection)
        .await?;
    Ok(gone.uploads)
}

/// Removes every upload of an extension and records their objects and those of its versions for removal. Call
/// it in the transaction that deletes the extension, before the deletion.
///
/// # Errors
/// Database failure.
pub async fn release_objects(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let sql = format!(
        "WITH gone AS (
             DELETE FROM extension_uploads WHERE extension_id = $2
             RETURNING account_id, size_bytes, storage_key),
         objects AS (
             SELECT storage_key FROM gone
             UNION SELECT files.storage_key FROM extension_files AS files
             JOIN extension_versions AS versions ON versions.id = files.version_id
             WHERE versions.extension_id = $2),{FREED}"
    );
    let _gone: Gone = sql_query(sql)
        .bind::<Timestamptz, _>(now)
        .bind::<SqlUuid, _>(extension)
        .get_result(connection)
        .await?;
    Ok(())
}
