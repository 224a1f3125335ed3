//! Events of an account: follows, raids, subscriptions, streams that begin.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{EventType, Row};
use crate::events::{Channel, Event};

/// An event (C B12.1): the `data` of `event:new`, or of `event:test` when it is a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountEvent {
    /// Also the id of the `event:new` event.
    pub id: Uuid,
    pub account_id: Uuid,
    /// One of [`EVENT_TYPES`](super::EVENT_TYPES) or `custom:{name}`.
    pub event_type: String,
    pub platform: Option<String>,
    pub platform_user_id: Option<String>,
    pub username: Option<String>,
    pub display_name: Option<String>,
    pub avatar_url: Option<String>,
    /// Bits, viewers, gifted subscriptions, or minor units of `currency`.
    pub amount: Option<i64>,
    pub currency: Option<String>,
    pub message: Option<String>,
    /// The keys that the catalogue names for the type.
    pub data: Value,
    /// Made to be looked at: it does what others do and counts nowhere.
    pub is_test: bool,
    #[serde(serialize_with = "crate::clock::serialize_rfc3339")]
    pub occurred_at: DateTime<Utc>,
}

/// An event and the source's id of it, which names it once in the account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    #[serde(flatten)]
    pub event: AccountEvent,
    pub platform_event_id: String,
}

impl AccountEvent {
    /// The event of the log that tells of this one.
    ///
    /// # Errors
    /// Never in practice: every field has a JSON form.
    pub fn announcement(&self) -> crate::Result<Event> {
        Ok(Event {
            id: self.id,
            channel: Channel::Events(self.account_id).to_string(),
            event_type: (if self.is_test { "event:test" } else { "event:new" }).to_owned(),
            data: serde_json::to_value(self)?,
            timestamp: self.occurred_at,
        })
    }

    /// `stream:online` or `stream:offline` for the events that also say so (C §11.5). A test says nothing of the kind:
    /// it would be believed.
    #[must_use]
    pub fn stream_announcement(&self) -> Option<Event> {
        if self.is_test {
            return None;
        }
        let event_type = match EventType::find(&self.event_type)?.name.split_once(':')?.1 {
            "stream_online" => "stream:online",
            "stream_offline" => "stream:offline",
            _ => return None,
        };
        let mut data = self.data.clone();
        data["platform"] = json!(self.platform);
        let source = format!("{event_type}:{}", self.id);
        Some(Event::of_source(Channel::Events(self.account_id), event_type, data, self.occurred_at, &source))
    }
}

impl Row for EventRow {
    const TABLE: &'static str = "events";
}
