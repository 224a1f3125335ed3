//! When something was told first. A platform may tell one thing in several deliveries, each with its own time; the
//! first one is what ids and keys are made of.

use std::time::Duration;

use chrono::{DateTime, Utc};
use shared::{Result, redis::Redis};

/// Longer than deliveries of one message lie apart: older ones than ten minutes are refused.
const MESSAGES: Duration = Duration::from_mins(30);
/// Longer than deliveries of one event that has an id lie apart, with the attempts to handle them.
const EVENTS: Duration = Duration::from_mins(60);
/// What is told alike within so short a time is one thing that two readers have told.
const ALIKE: Duration = Duration::from_secs(10);

/// What was told first of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct First {
    pub source: String,
    pub at: DateTime<Utc>,
}

/// The time at which a message without a time of its own was told first: `now_told` unless somebody was earlier.
pub(super) async fn message_told(
    redis: &Redis,
    platform: &str,
    message_id: &str,
    now_told: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let subject = format!("{platform}:chat:{message_id}");
    let first = remember(redis, &subject, now_told.timestamp_millis().to_string(), MESSAGES).await?;
    Ok(first.and_then(|text| moment(&text)).unwrap_or(now_told))
}

/// The same for an event by the id of its source.
pub(super) async fn first_told(
    redis: &Redis,
    platform: &str,
    source: &str,
    now_told: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let subject = format!("{platform}:{source}");
    let first = remember(redis, &subject, now_told.timestamp_millis().to_string(), EVENTS).await?;
    Ok(first.and_then(|text| moment(&text)).unwrap_or(now_told))
}

/// Who told first what others tell alike at about the same time: `now` unless somebody was earlier.
pub(super) async fn alike_told(
    redis: &Redis,
    platform: &str,
    channel_id: &str,
    alike: &str,
    now: First,
) -> Result<First> {
    let subject = format!("{platform}:{channel_id}:{alike}");
    let told = format!("{} {}", now.at.timestamp_millis(), now.source);
    let first = remember(redis, &subject, told, ALIKE).await?;
    let read = |text: String| {
        let (at, source) = text.split_once(' ')?;
        Some(First { source: source.to_owned(), at: moment(at)? })
    };
    Ok(first.and_then(read).unwrap_or(now))
}

/// Answers what was remembered before.
async fn remember(
    redis: &Redis,
    subject: &str,
    told: String,
    remembered: Duration,
) -> Result<Option<String>> {
    let key = redis.key(format_args!("told:{subject}"));
    Ok(redis::cmd("SET")
        .arg(key)
        .arg(told)
        .arg("NX")
        .arg("GET")
        .arg("EX")
        .arg(remembered.as_secs())
        .query_async(&mut *redis.get().await?)
        .await?)
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok().and_then(DateTime::from_timestamp_millis)
}
