//! Stored objects that are possibly not named by a row (reference/storage.md#unclaimed-objects).
//!
//! The store has no transactions. A key is recorded before its object is written, and in the transaction in
//! which the last row that names it may go. A day later the sweep removes the object if no row names it, and
//! deletes the record either way. Work whose bytes were stored and whose row is refused removes its object itself.
//! After a failed request to the store only the sweep does: the store may still execute that request.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, delete,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Text, Timestamptz},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::{db::Database, storage::Storage};
use shared::{Error, Result, schema::unclaimed_objects};

/// Keys of one transaction. Their rows are locked while the store removes the objects.
const BATCH_SIZE: i64 = 100;
/// Batches of one run. The rest waits for the next run.
const MAX_BATCHES: usize = 100;
/// Time that a refused operation waits until the store has removed its object. It holds a connection meanwhile.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(5);

/// Records keys whose objects are about to be written, or may have lost their last row.
///
/// # Errors
/// A failure of the database.
pub async fn record(connection: &mut AsyncPgConnection, keys: &[String], now: DateTime<Utc>) -> Result<()> {
    // In one order, so that two transactions with the same keys do not wait for each other.
    sql_query(
        "INSERT INTO unclaimed_objects (storage_key, noted_at)
         SELECT DISTINCT storage_key, $2 FROM unnest($1) AS storage_key ORDER BY storage_key
         ON CONFLICT (storage_key) DO UPDATE SET noted_at = excluded.noted_at",
    )
    .bind::<Array<Text>, _>(keys)
    .bind::<Timestamptz, _>(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes the records of keys that rows of the same transaction name.
///
/// # Errors
/// A failure of the database.
pub async fn claim(connection: &mut AsyncPgConnection, keys: &[String]) -> Result<()> {
    delete(unclaimed_objects::table.filter(unclaimed_objects::storage_key.eq_any(keys)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Condition that a row names the key of a record.
const IS_CLAIMED: &str =
    "(EXISTS (SELECT FROM extension_files AS files WHERE files.storage_key = record.storage_key)
     OR EXISTS (SELECT FROM extension_uploads AS uploads WHERE uploads.storage_key = record.storage_key)
     OR EXISTS (SELECT FROM uploads WHERE uploads.storage_key = record.storage_key)
     OR EXISTS (SELECT FROM sounds WHERE sounds.storage_key = record.storage_key)
     OR EXISTS (SELECT FROM account_archives AS archives WHERE archives.storage_key = record.storage_key))";

#[derive(QueryableByName)]
struct Record {
    #[diesel(sql_type = Text)]
    storage_key: String,
    #[diesel(sql_type = Bool)]
    is_claimed: bool,
}

/// Removes the object of a recorded key at once, unless a row names it: the store has confirmed the object, and the
/// work that recorded the key has ended without a row. Nothing else may be about to name the key. A transaction of that
/// work whose commit has no known outcome is awaited.
///
/// # Errors
/// A failure of the database or the store, or a store that takes too long. The sweep removes the object then.
pub async fn discard(connection: &mut AsyncPgConnection, storage: &Storage, key: &str) -> Result<()> {
    connection
        .transaction(async |connection| {
            // Waits for a transaction that claims the key.
            let records: Vec<Record> = sql_query(format!(
                "SELECT storage_key, {IS_CLAIMED} AS is_claimed FROM unclaimed_objects AS record
                 WHERE storage_key = $1 FOR UPDATE OF record",
            ))
            .bind::<Text, _>(key)
            .load(connection)
            .await?;
            tokio::time::timeout(DISCARD_TIMEOUT, delete_objects(storage, &records)).await.map_err(
                |_elapsed| Error::Internal("the store did not delete an object in time".to_owned()),
            )??;
            delete_records(connection, &records).await
        })
        .await
}

/// Removes the objects that were recorded before a time and that no row names. Returns their number. A
/// transaction that records a key meanwhile waits until its object is gone, and then writes it again.
///
/// # Errors
/// A failure of the database or the store. Objects that were removed before it stay removed.
pub async fn sweep(postgres: &Database, storage: &Storage, before: DateTime<Utc>) -> Result<usize> {
    let mut removed = 0;
    for _ in 0..MAX_BATCHES {
        let swept = sweep_batch(postgres, storage, before).await?;
        removed += swept.removed;
        if swept.checked == 0 {
            break;
        }
    }
    Ok(removed)
}

/// Result of one step of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    /// Records that were checked. 0 when none is left.
    pub checked: usize,
    /// Objects that were removed.
    pub removed: usize,
}

/// One step of a [`sweep`], for callers with their own deadline.
///
/// # Errors
/// Those of [`sweep`].
pub async fn sweep_batch(postgres: &Database, storage: &Storage, before: DateTime<Utc>) -> Result<Swept> {
    let (checked, removed) = postgres
        .get()
        .await?
        .transaction(async |connection| Ok::<_, Error>(sweep_some(connection, storage, before).await?))
        .await?;
    Ok(Swept { checked, removed })
}

/// Checks some records. Returns the number of checked records and of removed objects.
async fn sweep_some(
    connection: &mut AsyncPgConnection,
    storage: &Storage,
    before: DateTime<Utc>,
) -> Result<(usize, usize)> {
    let records: Vec<Record> = sql_query(format!(
        "SELECT storage_key, {IS_CLAIMED} AS is_claimed FROM unclaimed_objects AS record WHERE noted_at < $1
         ORDER BY noted_at LIMIT $2 FOR UPDATE OF record SKIP LOCKED",
    ))
    .bind::<Timestamptz, _>(before)
    .bind::<BigInt, _>(BATCH_SIZE)
    .load(connection)
    .await?;
    let removed = delete_objects(storage, &records).await?;
    delete_records(connection, &records).await?;
    Ok((records.len(), removed))
}

/// Removes the objects of locked records that no row names. Returns their number.
async fn delete_objects(storage: &Storage, records: &[Record]) -> Result<usize> {
    let unclaimed = records.iter().filter(|record| !record.is_claimed);
    let mut removed = 0;
    for record in unclaimed {
        storage.delete(&record.storage_key).await?;
        removed += 1;
    }
    Ok(removed)
}

async fn delete_records(connection: &mut AsyncPgConnection, records: &[Record]) -> Result<()> {
    let keys: Vec<&str> = records.iter().map(|record| record.storage_key.as_str()).collect();
    delete(unclaimed_objects::table.filter(unclaimed_objects::storage_key.eq_any(keys)))
        .execute(connection)
        .await?;
    Ok(())
}
