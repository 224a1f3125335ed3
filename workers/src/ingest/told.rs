//! When something was told first. A platform may tell one thing in several deliveries, each with its own time; the
//! first one is what ids and keys are made of.

use std::time::Duration;

use chrono::{DateTime, Utc};
use redis::Cmd;
use shared::{
    Result,
    redis::{Answers, Asked, Redis, RoundTrip},
};

/// Longer than deliveries of one message lie apart: older ones than ten minutes are refused.
const MESSAGES: Duration = Duration::from_mins(30);
/// Longer than deliveries of one event that has an id lie apart, with the attempts to handle them.
const EVENTS: Duration = Duration::from_mins(60);
/// What two transports tell alike within so short a time is one thing.
const ALIKE: Duration = Duration::from_secs(10);

/// What was told first of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct First {
    pub source: String,
    pub at: DateTime<Utc>,
}

/// What is asked about a message.
#[must_use]
pub(super) struct AskedMessage {
    first: Asked<Option<String>>,
    now_told: DateTime<Utc>,
}

/// Asks beside other calls when a message without a time of its own was told first.
pub(super) fn message_told_in(
    trip: &mut RoundTrip,
    redis: &Redis,
    platform: &str,
    message_id: &str,
    now_told: DateTime<Utc>,
) -> AskedMessage {
    let subject = format!("{platform}:chat:{message_id}");
    let first = trip.command(remember(redis, &subject, now_told.timestamp_millis().to_string(), MESSAGES));
    AskedMessage { first, now_told }
}

impl AskedMessage {
    /// The time: `now_told` unless somebody was earlier.
    pub fn answered(self, answers: &mut Answers) -> Result<DateTime<Utc>> {
        Ok(answers.take(self.first)?.and_then(|text| moment(&text)).unwrap_or(self.now_told))
    }
}

/// The time at which an event was told first, by the id of its source: `now_told` unless somebody was earlier.
pub(super) async fn first_told(
    redis: &Redis,
    platform: &str,
    source: &str,
    now_told: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let subject = format!("{platform}:{source}");
    let first = remember(redis, &subject, now_told.timestamp_millis().to_string(), EVENTS);
    let first: Option<String> = first.query_async(&mut *redis.get().await?).await?;
    Ok(first.and_then(|text| moment(&text)).unwrap_or(now_told))
}

/// A telling that may be one of several of the same thing.
#[derive(Debug)]
pub(super) struct Alike<'a> {
    /// Equal for equal things.
    pub content: &'a str,
    pub transport: &'a str,
    /// Told before, and again because Redis has lost its data: then whatever is equal is one.
    pub is_repeated: bool,
}

/// Who told first what others tell alike at about the same time: `now` unless somebody was earlier. What comes twice over
/// one transport happened twice (specification E, 24).
pub(super) async fn alike_told(
    redis: &Redis,
    platform: &str,
    channel_id: &str,
    alike: Alike<'_>,
    now: First,
) -> Result<First> {
    let subject = format!("{platform}:{channel_id}:{}", alike.content);
    let told = format!("{} {} {}", now.at.timestamp_millis(), now.source, alike.transport);
    let first: Option<String> =
        remember(redis, &subject, told, ALIKE).query_async(&mut *redis.get().await?).await?;
    let read = |text: String| {
        let (at, rest) = text.split_once(' ')?;
        let (source, transport) = rest.split_once(' ').unwrap_or((rest, ""));
        let is_same = alike.is_repeated || source == now.source || transport != alike.transport;
        is_same.then(|| Some(First { source: source.to_owned(), at: moment(at)? }))?
    };
    // Deliveries of other times may be handled at one time.
    let is_alike = |first: &First| (first.at - now.at).abs().to_std().is_ok_and(|apart| apart <= ALIKE);
    Ok(first.and_then(read).filter(is_alike).unwrap_or(now))
}

/// Remembers what nobody has remembered before; the server answers what was.
fn remember(redis: &Redis, subject: &str, told: String, remembered: Duration) -> Cmd {
    let key = redis.key(format_args!("told:{subject}"));
    let mut set = redis::cmd("SET");
    set.arg(key).arg(told).arg("NX").arg("GET").arg("EX").arg(remembered.as_secs());
    set
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok().and_then(DateTime::from_timestamp_millis)
}
