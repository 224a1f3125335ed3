//! Append, and read after a cursor.

use std::{borrow::Cow, fmt, str::FromStr, sync::LazyLock, time::Duration};

use chrono::{DateTime, Utc};
use redis::{FromRedisValue, ParsingError, Script, Value, streams::StreamRangeReply};
use serde::{Deserialize, Deserializer, de::Error as _};
use uuid::Uuid;

use super::Event;
use crate::{
    Error, Result,
    redis::{Asked, Redis, RoundTrip},
};

/// How many events a channel keeps for resuming, at least. The log is trimmed in whole nodes, so that it can hold
/// somewhat more.
pub const HISTORY: usize = 1000;
/// How many of a channel's latest events are known by their id, so that a second append has no effect. Bounded, as
/// the log is: what repeats an event does so soon after, and whoever must never repeat one has a unique key for it.
const REMEMBERED: usize = 4 * HISTORY;
/// A channel that nobody writes to is forgotten after this long.
const IDLE: Duration = Duration::from_secs(24 * 3600);

// One step, so that an event is kept if and only if it is published, and a repeated one is neither.
static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("append.lua")));
static FIND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("find.lua")));

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// Kept and published.
    New,
    /// An event of this id was appended before: nothing happened.
    Repeated,
}

/// Where an event stands in the log of its channel: later events have greater positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    millisecond: u64,
    sequence: u64,
}

/// A kept event, as it was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: Uuid,
    pub position: Position,
    /// The JSON text of an [`Event`].
    pub message: String,
}

/// The log of every channel. Cheap to clone.
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
    /// Before the first event of a channel.
    pub const START: Self = Self { millisecond: 0, sequence: 0 };

    /// When it was taken, by the clock of Redis.
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
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Keeps an event and fans it out.
    ///
    /// # Errors
    /// When Redis cannot be reached; the append may be repeated with the same event.
    pub async fn append(&self, event: &Event) -> Result<Appended> {
        let mut trip = RoundTrip::default();
        let appended = self.append_in(&mut trip, event)?;
        trip.send(&self.redis).await?.take(appended)
    }

    /// The same beside other calls.
    ///
    /// # Errors
    /// When the event has no JSON.
    pub fn append_in(&self, trip: &mut RoundTrip, event: &Event) -> Result<Asked<Appended>> {
        let message = serde_json::to_string(event)?;
        Ok(trip.script(&APPEND, |call| {
            call.key(self.stream(&event.channel))
                .key(self.ids(&event.channel))
                .arg(self.topic(&event.channel))
                .arg(event.id.to_string())
                .arg(message)
                .arg(HISTORY)
                .arg(REMEMBERED)
                .arg(IDLE.as_secs());
        }))
    }

    /// Fans an event out without keeping it: for what is too large or too frequent to be kept, where clients that
    /// missed it read the current state instead.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn publish(&self, event: &Event) -> Result<()> {
        self.redis.publish(&self.topic(&event.channel), serde_json::to_string(event)?.as_bytes()).await
    }

    /// The pub/sub topic that a channel's events arrive on, each as the JSON text of an [`Event`] with its `position`
    /// in the log beside the other fields.
    #[must_use]
    pub fn topic(&self, channel: &str) -> String {
        self.redis.key(channel)
    }

    /// Everything after the event `cursor`, oldest first; `None` when the log no longer holds the cursor, so that
    /// what was missed cannot be told.
    ///
    /// # Errors
    /// When Redis cannot be reached or an entry is not an event.
    pub async fn after(&self, channel: &str, cursor: Uuid) -> Result<Option<Vec<Event>>> {
        const PAGE: usize = 200;
        // A log that grows faster than it is read would be read without end.
        const MAX_LENGTH: usize = 4 * HISTORY;
        let Some(mut position) = self.locate(channel, cursor).await? else { return Ok(None) };
        let mut events: Vec<Event> = Vec::new();
        while events.len() < MAX_LENGTH {
            let Some(page) = self.page(channel, position, PAGE).await? else { return Ok(None) };
            let Some(last) = page.last() else { return Ok(Some(events)) };
            position = last.position;
            for entry in &page {
                events.push(serde_json::from_str(&entry.message)?);
            }
        }
        Ok(None)
    }

    /// Where an event stands; `None` when the log does not hold it, or no longer.
    ///
    /// # Errors
    /// When Redis cannot be reached or an entry is not an event.
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

    /// At most `limit` events after a position, oldest first; none when it is the last. `None` when some that stood
    /// between were dropped, so that what follows would not be whole.
    ///
    /// # Errors
    /// When Redis cannot be reached or an entry is not an event.
    pub async fn page(&self, channel: &str, after: Position, limit: usize) -> Result<Option<Vec<Entry>>> {
        if after == Position::START {
            return self.first_page(channel, limit).await;
        }
        let mut connection = self.redis.get().await?;
        // The entry at the position is read as well: entries go in order, so while it stands nothing after it went.
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
        // Below its bound a log was never trimmed.
        if length < HISTORY { entries(range).map(Some) } else { Ok(None) }
    }

    /// The latest event of a channel, if it has one.
    ///
    /// # Errors
    /// When Redis cannot be reached or the entry is not an event.
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

    /// The latest kept event of a channel whose JSON text has all of `texts` in it. To be asked for keys with their
    /// values: quotation marks inside of values are escaped, so that nobody's words pass for them.
    ///
    /// # Errors
    /// When Redis cannot be reached or the entry is not an event.
    pub async fn find(&self, channel: &str, texts: &[&str]) -> Result<Option<Event>> {
        // A log is trimmed in whole nodes.
        const MAX_EVENTS: usize = 2 * HISTORY;
        let found: Option<String> = FIND
            .key(self.stream(channel))
            .arg(MAX_EVENTS)
            .arg(texts)
            .invoke_async(&mut *self.redis.get().await?)
            .await?;
        Ok(found.map(|message| serde_json::from_str(&message)).transpose()?)
    }

    /// Forgets every event of a channel.
    ///
    /// # Errors
    /// When Redis cannot be reached.
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
    fn positions_are_ordered_as_numbers() {
        let position = |text: &str| text.parse::<Position>().unwrap();
        assert!(position("9-0") < position("10-0") && position("10-9") < position("10-10"));
        assert!(Position::START < position("0-1"));
        assert_eq!(position("1700000000000-3").to_string(), "1700000000000-3");
        for malformed in ["", "1", "-", "1-", "x-1", "1-1-1"] {
            assert!(malformed.parse::<Position>().is_err(), "{malformed}");
        }
    }
}
