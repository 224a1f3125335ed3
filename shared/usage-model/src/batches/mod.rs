//! Batches: the way of the counts from Redis to the hours of PostgreSQL (reference/usage.md#batches).
//!
//! A batch is the open counts of a shard under an id that they got with their first addition. Its counts are added to
//! the hours in one transaction with its id; a batch whose id is stored is removed without being added. So a daemon may
//! be killed at any point, several copies may move the same batch, and a Redis that has lost its last writes offers
//! nothing twice.

mod store;

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncPgConnection;
use foundation::redis::Redis;
use redis::Script;
use shared::{Error, Result, id};
use uuid::Uuid;

use crate::{
    consumer::Consumer,
    counts::Counts,
    fields,
    keys::{SHARDS, ShardKeys},
};

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("claim.lua")));
static REMOVE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("remove.lua")));

/// Fields that one command reads, about.
const PAGE_SIZE: usize = 1_000;
/// Maximum number of commands that read one batch.
const MAX_PAGES: usize = 100_000;

/// Outcome of one drain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drained {
    /// Batches whose counts were added.
    pub added: usize,
    /// Batches that were added before and are only removed.
    pub repeated: usize,
    /// Hours and consumers in the added batches.
    pub entries: usize,
}

impl Drained {
    /// True when no counts waited.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.added == 0 && self.repeated == 0
    }
}

/// Counts that are being moved.
#[derive(Debug)]
struct Batch {
    id: Uuid,
    entries: Vec<Entry>,
}

/// Counts of one hour and consumer.
#[derive(Debug, Clone, Copy)]
struct Entry {
    hour: DateTime<Utc>,
    consumer: Consumer,
    counts: Counts,
}

/// Moves the counts of every shard to the hours, and marks the accounts that have budgets. Batches whose counts were
/// stored before are only removed. The connection must not be in a transaction.
///
/// # Errors
/// A failure of Redis or the database. What was not moved stays in Redis.
pub async fn drain(redis: &Redis, connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<Drained> {
    let mut drained = Drained::default();
    for shard in 0..SHARDS {
        let keys = ShardKeys::of(redis, shard);
        let Some(batch) = claim(redis, &keys).await? else { continue };
        if store::store(connection, &batch, now).await? {
            drained.added += 1;
            drained.entries += batch.entries.len();
        } else {
            drained.repeated += 1;
        }
        remove(redis, &keys, batch.id).await?;
    }
    Ok(drained)
}

/// Returns the time for which the oldest counts wait; `None` when none wait. Their id has the time of its making.
///
/// # Errors
/// A failure of Redis.
pub async fn waiting(redis: &Redis, now: DateTime<Utc>) -> Result<Option<TimeDelta>> {
    let mut oldest = None;
    for shard in 0..SHARDS {
        let keys = ShardKeys::of(redis, shard);
        let ids: Vec<Option<String>> = redis::cmd("MGET")
            .arg(&keys.open_id)
            .arg(&keys.batch_id)
            .query_async(&mut *redis.get().await?)
            .await?;
        oldest = ids.into_iter().flatten().filter_map(|id| made_at(&id)).chain(oldest).min();
    }
    Ok(oldest.map(|oldest| now - oldest))
}

fn made_at(id: &str) -> Option<DateTime<Utc>> {
    let (seconds, nanos) = id.parse::<Uuid>().ok()?.get_timestamp()?.to_unix();
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanos)
}

async fn claim(redis: &Redis, keys: &ShardKeys) -> Result<Option<Batch>> {
    let mut connection = redis.get().await?;
    let claimed: Option<String> = CLAIM
        .key(&keys.open)
        .key(&keys.open_id)
        .key(&keys.batch)
        .key(&keys.batch_id)
        .arg(id::new().to_string())
        .invoke_async(&mut *connection)
        .await?;
    drop(connection);
    let Some(id) = claimed else { return Ok(None) };
    let id = id.parse().map_err(|_other| Error::Internal(format!("{id} is no id of a batch of counts")))?;
    Ok(Some(Batch { id, entries: read(redis, &keys.batch).await? }))
}

/// Reads a batch in pages, which may repeat fields.
async fn read(redis: &Redis, key: &str) -> Result<Vec<Entry>> {
    let (mut seen, mut counts) = (HashSet::new(), HashMap::new());
    let mut cursor = String::from("0");
    for _ in 0..MAX_PAGES {
        let (next, page): (String, Vec<String>) = redis::cmd("HSCAN")
            .arg(key)
            .arg(&cursor)
            .arg("COUNT")
            .arg(PAGE_SIZE)
            .query_async(&mut *redis.get().await?)
            .await?;
        for pair in page.chunks_exact(2) {
            let [field, number] = pair else { continue };
            if seen.insert(field.clone()) {
                add(&mut counts, field, number);
            }
        }
        cursor = next;
        if cursor == "0" {
            return Ok(counts.into_iter().filter_map(entry).collect());
        }
    }
    Err(Error::Internal("a batch of counts has no end".into()))
}

fn add(counts: &mut HashMap<(i64, Consumer), Counts>, field: &str, number: &str) {
    match (fields::parse(field), number.parse()) {
        (Some((hour, consumer, counter)), Ok(number)) => {
            counts.entry((hour, consumer)).or_default().add(counter, number);
        }
        _ => tracing::warn!(field, number, "a count of usage of another version is dropped"),
    }
}

fn entry(((hour, consumer), counts): ((i64, Consumer), Counts)) -> Option<Entry> {
    Some(Entry { hour: fields::begin_of(hour)?, consumer, counts })
}

async fn remove(redis: &Redis, keys: &ShardKeys, id: Uuid) -> Result<()> {
    let mut connection = redis.get().await?;
    let _removed: u8 = REMOVE
        .key(&keys.batch)
        .key(&keys.batch_id)
        .arg(id.to_string())
        .invoke_async(&mut *connection)
        .await?;
    Ok(())
}
