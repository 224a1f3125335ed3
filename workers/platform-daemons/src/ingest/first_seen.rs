//! First delivery of a message or event. A platform may deliver one thing several times, each with another
//! time; ids and keys are made from the first one (reference/ingest.md#time-and-identity).

use std::time::Duration;

use chrono::{DateTime, Utc};
use foundation::redis::{Answers, PendingReply, Redis, RoundTrip};
use redis::Cmd;
use shared::Result;

/// Longer than the time between deliveries of one message, because deliveries older than ten minutes are
/// refused.
const MESSAGE_TTL: Duration = Duration::from_mins(30);
/// Longer than the time between deliveries of one event with an id, including the attempts to handle them.
const EVENT_TTL: Duration = Duration::from_mins(60);
/// Maximum time between equal deliveries of two transports that are one event.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(10);

/// First delivery of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FirstSeen {
    pub source: String,
    pub at: DateTime<Utc>,
}

/// Pending look-up of a message's first delivery.
#[must_use]
pub(super) struct PendingFirstSeen {
    first: PendingReply<Option<String>>,
    seen_at: DateTime<Utc>,
}

/// Adds the look-up of the first time of a message without a time of its own to a round trip.
pub(super) fn message_first_seen_in(
    trip: &mut RoundTrip,
    redis: &Redis,
    platform: &str,
    message_id: &str,
    seen_at: DateTime<Utc>,
) -> PendingFirstSeen {
    let subject = format!("{platform}:chat:{message_id}");
    let first = trip.command(remember(redis, &subject, seen_at.timestamp_millis().to_string(), MESSAGE_TTL));
    PendingFirstSeen { first, seen_at }
}

impl PendingFirstSeen {
    /// Returns the time: `seen_at` unless an earlier delivery was recorded.
    pub fn answered(self, answers: &mut Answers) -> Result<DateTime<Utc>> {
        Ok(answers.take(self.first)?.and_then(|text| moment(&text)).unwrap_or(self.seen_at))
    }
}

/// Returns the time of the first delivery of an event, by the id of its source: `seen_at` unless an earlier
/// one was recorded.
pub(super) async fn event_first_seen(
    redis: &Redis,
    platform: &str,
    source: &str,
    seen_at: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let subject = format!("{platform}:{source}");
    let first = remember(redis, &subject, seen_at.timestamp_millis().to_string(), EVENT_TTL);
    let first: Option<String> = first.query_async(&mut *redis.get().await?).await?;
    Ok(first.and_then(|text| moment(&text)).unwrap_or(seen_at))
}

/// Delivery that may be one of several of the same event.
#[derive(Debug)]
pub(super) struct Duplicate<'a> {
    /// Equal for equal events.
    pub content: &'a str,
    pub transport: &'a str,
    /// True for a reopened delivery after a loss in Redis: then everything that is equal is one event.
    pub is_repeated: bool,
}

/// Returns the first of equal deliveries at about the same time: `now` unless an earlier one was recorded.
/// Two equal deliveries over one transport are two events (reference/ingest.md#time-and-identity).
pub(super) async fn duplicate_first_seen(
    redis: &Redis,
    platform: &str,
    channel_id: &str,
    duplicate_key: Duplicate<'_>,
    now: FirstSeen,
) -> Result<FirstSeen> {
    let subject = format!("{platform}:{channel_id}:{}", duplicate_key.content);
    let seen = format!("{} {} {}", now.at.timestamp_millis(), now.source, duplicate_key.transport);
    let first: Option<String> =
        remember(redis, &subject, seen, DUPLICATE_WINDOW).query_async(&mut *redis.get().await?).await?;
    let read = |text: String| {
        let (at, rest) = text.split_once(' ')?;
        let (source, transport) = rest.split_once(' ').unwrap_or((rest, ""));
        let is_same =
            duplicate_key.is_repeated || source == now.source || transport != duplicate_key.transport;
        is_same.then(|| Some(FirstSeen { source: source.to_owned(), at: moment(at)? }))?
    };
    // Deliveries of different times may be handled at the same time.
    let is_alike =
        |first: &FirstSeen| (first.at - now.at).abs().to_std().is_ok_and(|apart| apart <= DUPLICATE_WINDOW);
    Ok(first.and_then(read).filter(is_alike).unwrap_or(now))
}

/// Returns the command that records a value unless there is one; the server returns the earlier value.
fn remember(redis: &Redis, subject: &str, seen: String, remembered: Duration) -> Cmd {
    let key = redis.key(format_args!("told:{subject}"));
    let mut set = redis::cmd("SET");
    set.arg(key).arg(seen).arg("NX").arg("GET").arg("EX").arg(remembered.as_secs());
    set
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok().and_then(DateTime::from_timestamp_millis)
}
