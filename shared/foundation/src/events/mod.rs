//! Event log: each change in an account is one event on a channel (reference/realtime.md#event-log).
//!
//! Appending keeps the event in a bounded Redis stream of its channel and publishes it, in one step. The
//! stream is the only copy of the replay window. Data that must outlive it is stored elsewhere.

mod channel;
mod kinds;
mod log;
mod removal;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use channel::{Channel, OverlayKey};
pub use kinds::{ChannelEvent, ChannelKind, Payload, Shape};
pub use log::{Appended, Entry, EventLog, MIN_KEPT_EVENTS, Position};
pub use removal::{Removal, RemovalAction};

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// UUID version 7. Equal ids on one channel are one event: the second append has no effect.
    pub id: Uuid,
    /// Channel as clients write it, for example `chat:{account_id}`.
    pub channel: String,
    /// Type as `area:verb`, for example `chat:message`.
    pub event_type: String,
    /// An object.
    pub data: Value,
    /// Time of the event.
    #[serde(serialize_with = "shared::clock::serialize_rfc3339")]
    pub timestamp: DateTime<Utc>,
}

impl Event {
    /// Creates an event of the present time that is published only once.
    #[must_use]
    pub fn new(channel: Channel, event_type: &str, data: Value, now: DateTime<Utc>) -> Self {
        Self {
            id: shared::id::new(),
            channel: channel.to_string(),
            event_type: event_type.to_owned(),
            data,
            timestamp: now,
        }
    }

    /// Creates an event that may be published more than once. The same `source` (for example platform and
    /// message id) at the same time always gets the same id.
    #[must_use]
    pub fn of_source(
        channel: Channel,
        event_type: &str,
        data: Value,
        timestamp: DateTime<Utc>,
        source: &str,
    ) -> Self {
        Self {
            id: id_of_source(source, timestamp),
            channel: channel.to_string(),
            event_type: event_type.to_owned(),
            data,
            timestamp,
        }
    }
}

/// UUID version 7 whose random part is a hash of the source.
#[must_use]
pub fn id_of_source(source: &str, timestamp: DateTime<Utc>) -> Uuid {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(source.as_bytes());
    let mut random = [0; 10];
    random.copy_from_slice(&digest[..10]);
    let millis = u64::try_from(timestamp.timestamp_millis()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_timestamp_has_milliseconds() {
        for (nanos, written) in [(0, "2023-11-14T22:13:20.000Z"), (123_456_789, "2023-11-14T22:13:20.123Z")] {
            let at = DateTime::from_timestamp(1_700_000_000, nanos).unwrap();
            let event = Event::new(Channel::Chat(Uuid::nil()), "chat:message", Value::Null, at);
            assert_eq!(serde_json::to_value(&event).unwrap()["timestamp"], written);
        }
    }

    #[test]
    fn id_of_source_is_stable_and_of_version_7() {
        let at = DateTime::from_timestamp_millis(1_700_000_000_123).unwrap();
        let id = id_of_source("twitch:m1", at);
        assert_eq!(id, id_of_source("twitch:m1", at));
        assert_ne!(id, id_of_source("twitch:m2", at));
        assert_eq!(id.get_version_num(), 7);
    }
}
