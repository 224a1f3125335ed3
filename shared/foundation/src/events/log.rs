//! Appends to the log of a channel, and reads after a cursor (reference/realtime.md#event-log).

use std::{borrow::Cow, fmt, str::FromStr, sync::LazyLock, time::Duration};

use chrono::{DateTime, Utc};
use redis::{FromRedisValue, ParsingError, Script, Value, streams::StreamRangeReply};
use serde::{Deserialize, Deserializer, de::Error as _};
use uuid::Uuid;

use super::Event;
use crate::redis::{PendingReply, Redis, RoundTrip};
use shared::{Error, Result};

/// Number of events that a channel keeps for resuming, at least. The log is trimmed in whole nodes, so it may
/// hold a few more.
pub const MIN_KEPT_EVENTS: usize = 1000;
/// Number of latest events of a channel whose ids are remembered, so that a second append has no effect. It
/// is bounded like the log: repeats of an event come soon after it. Code that must never repeat an event has
/// a unique key for it.
const MAX_REMEMBERED_IDS: usize = 4 * MIN_KEPT_EVENTS;
/// Time after which a channel without new events is dropped.
const IDLE_TTL: Duration = Duration::from_secs(24 * 3600);

// One step, so that an event is kept if and only if it is published, and a repeated one is neither.
static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("append.lua")));
static FIND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("find.lua")));

/// Result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// Kept and published.
    New,
    /// An event of this id was appended before: no effect.
    Repeated,
}

/// Position of an event in the log of its channel. Later events have greater positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    millisecond: u64,
    sequence: u64,
}

/// Kept event, as it was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Id of the event.
    pub id: Uuid,
    /// Position in the log.
    pub position: Position,
    /// JSON text of an [`Event`].
    pub message: String,
}

/// Logs of all channels. Cheap to clone.
#[derive(Clone)]
pub struct EventLog {
    redis: Redis,
}

impl FromRedisValue for Appended {
    fn from_redis_value(answer: Value) -> Result<Self, ParsingError> {
        Ok(if bool::from_redis_value(answer)? { Self::New } else { Self::Repeated })
    }
}

impl Position {
    /// Position before the first event of a channel.
    pub const START: Self = Self { millisecond: 0, sequence: 0 };

    /// Time of the append in Unix milliseconds, by the clock of Redis.
    #[must_use]
    pub const fn millisecond(&self) -> u64 {
        self.millisecond
    }

    /// Time of the append, by the clock of Redis.
    #[must_use]
    pub fn taken_at(&self) -> DateTime<Utc> {
        let milliseconds = i64::try_from(self.millisecond).ok();
        milliseconds.and_then(DateTime::from_timestamp_millis).unwrap_or_default()
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.millisecond, self.sequence)
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parsed = text.split_once('-').and_then(|(millisecond, sequence)| {
            Some(Self { millisecond: millisecond.parse().ok()?, sequence: sequence.parse().ok()? })
        });
        parsed.ok_or_else(|| Error::Internal("a position of the event log is malformed".into()))
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl EventLog {
    /// Creates the logs in the given Redis.
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Keeps an event and publishes it.
    ///
    /// # Errors
    /// A failure of Redis. The append may be repeated with the same event.
    pub async fn append(&self, event: &Event) -> Result<Appended> {
        let mut trip = RoundTrip::default();
        let appended = self.append_in(&mut trip, event)?;
        trip.send(&self.redis).await?.take(appended)
    }

    /// Keeps an event and publishes it, together with other calls.
    ///
    /// # Errors
    /// An event without a JSON form.
    pub fn append_in(&self, trip: &mut RoundTrip, event: &Event) -> Result<PendingReply<Appended>> {
        let message = serde_json::to_string(event)?;
        Ok(trip.script(&APPEND, |call| {
            call.key(self.stream(&event.channel))
                .key(self.ids(&event.channel))
                .arg(self.redis.publish_command())
                .arg(self.topic(&event.channel))
                .arg(event.id.to_string())
                .arg(message)
                .arg(MIN_KEPT_EVENTS)
                .arg(MAX_REMEMBERED_IDS)
                .arg(IDLE_TTL.as_secs());
        }))
    }

    /// Publishes an event without keeping it. For events that are too large or too frequent to keep, where
    /// clients that missed one read the current state instead.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn publish(&self, event: &Event) -> Result<()> {
        self.redis.publish(&self.topic(&event.channel), serde_json::to_string(event)?.as_bytes()).await
    }

    /// Pub/sub topic of a channel's events. Each message is the JSON text of an [`Event`] with its `position`
    /// in the log beside the other fields.
    #[must_use]
    pub fn topic(&self, channel: &str) -> String {
        self.redis.topic(channel)
    }

    /// Events after the event `cursor`, oldest first; `None` when the log no longer holds the cursor, so that
    /// the missed events are unknown.
    ///
    /// # Errors
    /// A failure of Redis, or an entry that is not an event.
    pub async fn after(&self, channel: &str, cursor: Uuid) -> Result<Option<Vec<Event>>> {
        const PAGE_SIZE: usize = 200;
        // Bound for a log that grows faster than it is read.
        const MAX_LENGTH: usize = 4 * MIN_KEPT_EVENTS;
        let Some(mut position) = self.locate(channel, cursor).await? else { return Ok(None) };
        let mut events: Vec<Event> = Vec::new();
        while events.len() < MAX_LENGTH {
            let Some(page) = self.page(channel, position, PAGE_SIZE).await? else { return Ok(None) };
            let Some(last) = page.last() else { return Ok(Some(events)) };
            position = last.position;
            for entry in &page {
                events.push(serde_json::from_str(&entry.message)?);
            }
        }
        Ok(None)
    }

    /// Position of an event; `None` when the log does not hold it, or no longer.
    ///
    /// # Errors
    /// A failure of Redis, or an entry that is not an event.
    pub async fn locate(&self, channel: &str, id: Uuid) -> Result<Option<Position>> {
        let mut connection = self.redis.get().await?;
        let millisecond: Option<u64> = redis::cmd("ZSCORE")
            .arg(self.ids(channel))
            .arg(id.to_string())
            .query_async(&mut *connection)
            .await?;
        let Some(millisecond) = millisecond else { return Ok(None) };
        let same_millisecond: StreamRangeReply = redis::cmd("XRANGE")
            .arg(self.stream(channel))
            .arg(millisecond)
            .arg(millisecond)
            .query_async(&mut *connection)
            .await?;
        let entries = entries(same_millisecond)?;
        Ok(entries.into_iter().find(|entry| entry.id == id).map(|entry| entry.position))
    }

    /// Up to `limit` events after a position, oldest first; empty when it is the last. `None` when some of
    /// the events after it were dropped, so that the page would have a gap.
    ///
    /// # Errors
    /// A failure of Redis, or an entry that is not an event.
    pub async fn page(&self, channel: &str, after: Position, limit: usize) -> Result<Option<Vec<Entry>>> {
        if after == Position::START {
            return self.first_page(channel, limit).await;
        }
        let mut connection = self.redis.get().await?;
        // The entry at the position is read as well. Entries are dropped in order, so while it exists nothing
        // after it was dropped.
        let range: StreamRangeReply = redis::cmd("XRANGE")
            .arg(self.stream(channel))
            .arg(after.to_string())
            .arg("+")
            .arg("COUNT")
            .arg(limit + 1)
            .query_async(&mut *connection)
            .await?;
        let mut entries = entries(range)?;
        if entries.first().is_none_or(|first| first.position != after) {
            return Ok(None);
        }
        entries.remove(0);
        Ok(Some(entries))
    }

    async fn first_page(&self, channel: &str, limit: usize) -> Result<Option<Vec<Entry>>> {
        let stream = self.stream(channel);
        let (range, length): (StreamRangeReply, usize) = redis::pipe()
            .cmd("XRANGE")
            .arg(&stream)
            .arg("-")
            .arg("+")
            .arg("COUNT")
            .arg(limit)
            .cmd("XLEN")
            .arg(&stream)
            .query_async(&mut *self.redis.get().await?)
            .await?;
        // A log below its bound was never trimmed.
        if length < MIN_KEPT_EVENTS { entries(range).map(Some) } else { Ok(None) }
    }

    /// Up to `limit` events since a time in Unix milliseconds by the clock of Redis, oldest first. `None` when
    /// there may be more: some were dropped, or the limit was reached.
    ///
    /// # Errors
    /// A failure of Redis, or an entry that is not an event.
    pub async fn since(&self, channel: &str, millisecond: u64, limit: usize) -> Result<Option<Vec<Entry>>> {
        let stream = self.stream(channel);
        let (range, first, length): (StreamRangeReply, StreamRangeReply, usize) = redis::pipe()
            .cmd("XRANGE")
            .arg(&stream)
            .arg(millisecond)
            .arg("+")
            .arg("COUNT")
            .arg(limit + 1)
            .cmd("XRANGE")
            .arg(&stream)
            .arg("-")
            .arg("+")
            .arg("COUNT")
            .arg(1)
            .cmd("XLEN")
            .arg(&stream)
            .query_async(&mut *self.redis.get().await?)
            .await?;
        let first = entries(first)?.pop();
        // A log below its bound was never trimmed.
        let is_whole =
            length < MIN_KEPT_EVENTS || first.is_some_and(|first| first.position.millisecond <= millisecond);
        let entries = entries(range)?;
        Ok((is_whole && entries.len() <= limit).then_some(entries))
    }

    /// Latest event of a channel; `None` when it has none.
    ///
    /// # Errors
    /// A failure of Redis, or an entry that is not an event.
    pub async fn newest(&self, channel: &str) -> Result<Option<Entry>> {
        let range: StreamRangeReply = redis::cmd("XREVRANGE")
            .arg(self.stream(channel))
            .arg("+")
            .arg("-")
            .arg("COUNT")
            .arg(1)
            .query_async(&mut *self.redis.get().await?)
            .await?;
        Ok(entries(range)?.pop())
    }

    /// Latest kept event of a channel whose JSON text contains all of `texts`. Pass keys with their values:
    /// quotation marks inside values are escaped, so that no text of a user matches.
    ///
    /// # Errors
    /// A failure of Redis, or an entry that is not an event.
    pub async fn find(&self, channel: &str, texts: &[&str]) -> Result<Option<Event>> {
        // The log is trimmed in whole nodes.
        const MAX_EVENTS: usize = 2 * MIN_KEPT_EVENTS;
        let found: Option<String> = FIND
            .key(self.stream(channel))
            .arg(MAX_EVENTS)
            .arg(texts)
            .invoke_async(&mut *self.redis.get().await?)
            .await?;
        Ok(found.map(|message| serde_json::from_str(&message)).transpose()?)
    }

    /// Deletes every event of a channel.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn forget(&self, channel: &str) -> Result<()> {
        let keys = [self.stream(channel), self.ids(channel)];
        redis::cmd("DEL").arg(&keys).query_async::<()>(&mut *self.redis.get().await?).await?;
        Ok(())
    }

    fn stream(&self, channel: &str) -> String {
        self.redis.key(format_args!("log:{channel}"))
    }

    fn ids(&self, channel: &str) -> String {
        self.redis.key(format_args!("log:ids:{channel}"))
    }
}

fn entries(range: StreamRangeReply) -> Result<Vec<Entry>> {
    let foreign = || Error::Internal("an entry of the event log is not an event".into());
    range
        .ids
        .into_iter()
        .map(|entry| {
            let id: String = entry.get("id").ok_or_else(foreign)?;
            let message = entry.get("m").ok_or_else(foreign)?;
            Ok(Entry {
                id: id.parse().map_err(|_malformed| foreign())?,
                position: entry.id.parse()?,
                message,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_is_ordered_numerically() {
        let position = |text: &str| text.parse::<Position>().unwrap();
        assert!(position("9-0") < position("10-0") && position("10-9") < position("10-10"));
        assert!(Position::START < position("0-1"));
        assert_eq!(position("1700000000000-3").to_string(), "1700000000000-3");
        for malformed in ["", "1", "-", "1-", "x-1", "1-1-1"] {
            assert!(malformed.parse::<Position>().is_err(), "{malformed}");
        }
    }
}
