//! Stored objects that perhaps no row names. The store knows no transactions: a key is noted before its object is
//! written, and in the transaction in which the last row that names it may go. A day later the sweep removes the object
//! if no row names it, and forgets the note either way.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, delete,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Text, Timestamptz},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::{Error, Result, db::Database, db::schema::unclaimed_objects, storage::Storage};

/// Keys of one transaction: their rows are held while the store removes the objects.
const BATCH: i64 = 100;
/// What is left after so many batches waits for the next run.
const MAX_BATCHES: usize = 100;

/// Notes keys whose objects are about to be written, or may have lost their last row.
///
/// # Errors
/// When the database fails.
pub async fn note(connection: &mut AsyncPgConnection, keys: &[String], now: DateTime<Utc>) -> Result<()> {
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

/// Forgets the notes of keys that rows of the same transaction name.
///
/// # Errors
/// When the database fails.
pub async fn claim(connection: &mut AsyncPgConnection, keys: &[String]) -> Result<()> {
    delete(unclaimed_objects::table.filter(unclaimed_objects::storage_key.eq_any(keys)))
        .execute(connection)
        .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct Noted {
    #[diesel(sql_type = Text)]
    storage_key: String,
    #[diesel(sql_type = Bool)]
    is_claimed: bool,
}

/// Removes the objects that were noted before a moment and that no row names; answers how many. Whoever notes a key
/// again meanwhile waits until its object is gone, and then writes it anew.
///
/// # Errors
/// When the database or the store fails; what was removed until then stays removed.
pub async fn sweep(postgres: &Database, storage: &Storage, before: DateTime<Utc>) -> Result<usize> {
    let mut removed = 0;
    for _ in 0..MAX_BATCHES {
        let swept = sweep_batch(postgres, storage, before).await?;
        removed += swept.removed;
        if swept.notes == 0 {
            break;
        }
    }
    Ok(removed)
}

/// What one step of a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    /// Notes that were looked at: none when nothing is left.
    pub notes: usize,
    /// Objects that were removed.
    pub removed: usize,
}

/// One step of a [`sweep`], for whoever has a time of their own.
///
/// # Errors
/// As there.
pub async fn sweep_batch(postgres: &Database, storage: &Storage, before: DateTime<Utc>) -> Result<Swept> {
    let (notes, removed) = postgres
        .get()
        .await?
        .transaction(async |connection| Ok::<_, Error>(sweep_some(connection, storage, before).await?))
        .await?;
    Ok(Swept { notes, removed })
}

/// How many notes were looked at, and how many objects were removed.
async fn sweep_some(
    connection: &mut AsyncPgConnection,
    storage: &Storage,
    before: DateTime<Utc>,
) -> Result<(usize, usize)> {
    let noted: Vec<Noted> = sql_query(
        "SELECT storage_key,
                EXISTS (SELECT FROM extension_files AS files WHERE files.storage_key = noted.storage_key)
                OR EXISTS (SELECT FROM extension_uploads AS uploads WHERE uploads.storage_key = noted.storage_key)
                AS is_claimed
         FROM unclaimed_objects AS noted WHERE noted_at < $1
         ORDER BY noted_at LIMIT $2 FOR UPDATE OF noted SKIP LOCKED",
    )
    .bind::<Timestamptz, _>(before)
    .bind::<BigInt, _>(BATCH)
    .load(connection)
    .await?;
    let unclaimed = noted.iter().filter(|noted| !noted.is_claimed);
    let mut removed = 0;
    for noted in unclaimed {
        storage.delete(&noted.storage_key).await?;
        removed += 1;
    }
    let keys: Vec<&str> = noted.iter().map(|noted| noted.storage_key.as_str()).collect();
    delete(unclaimed_objects::table.filter(unclaimed_objects::storage_key.eq_any(keys)))
        .execute(connection)
        .await?;
    Ok((noted.len(), removed))
}
