//! Events of an account: follows, raids, subscriptions, started streams.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{EventType, Row};
use foundation::{
    events::{Channel, Event},
    trace::current_headers,
};

/// An event (reference/events.md#event): the `data` of `event:new`, or of `event:test` for a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountEvent {
    /// Id, also of the `event:new` event.
    pub id: Uuid,
    /// Account of the event.
    pub account_id: Uuid,
    /// One of [`EVENT_TYPES`](super::EVENT_TYPES) or `custom:{name}`.
    pub event_type: String,
    /// Slug of the platform; `None` for an event without one.
    pub platform: Option<String>,
    /// Id on the platform of the person who caused it.
    pub platform_user_id: Option<String>,
    /// Name that the platform addresses the person by.
    pub username: Option<String>,
    /// Displayed name of the person.
    pub display_name: Option<String>,
    /// Address of the person's picture.
    pub avatar_url: Option<String>,
    /// Bits, viewers, gifted subscriptions, or minor units of `currency`.
    pub amount: Option<i64>,
    /// `bits`, `points` or three capital letters.
    pub currency: Option<String>,
    /// Text that the person sent with it.
    pub message: Option<String>,
    /// The keys that the catalogue names for the type.
    pub data: Value,
    /// True for a test: it has the effects of an event and is counted nowhere.
    pub is_test: bool,
    /// Time of the event on the platform.
    #[serde(serialize_with = "shared::clock::serialize_rfc3339")]
    pub occurred_at: DateTime<Utc>,
}

/// An event with its id at the source, which is unique in the account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// The event.
    #[serde(flatten)]
    pub event: AccountEvent,
    /// Id at the source.
    pub platform_event_id: String,
    /// Place in the trace that its deliveries of webhooks continue, as the value of `traceparent`
    /// (reference/webhooks.md#traces).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// Value of `tracestate` that belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracestate: Option<String>,
}

impl EventRow {
    /// Row of an event outside of any trace. Those of platforms have none: receivers would learn traces of platforms.
    #[must_use]
    pub const fn new(event: AccountEvent, platform_event_id: String) -> Self {
        Self { event, platform_event_id, traceparent: None, tracestate: None }
    }

    /// The same row in the trace of the present work.
    #[must_use]
    pub fn traced(self) -> Self {
        let (traceparent, tracestate) = current_headers();
        Self { traceparent, tracestate, ..self }
    }
}

impl AccountEvent {
    /// Event with a payload. The person, the amount and the message are those that the catalogue names for the
    /// type; a `custom:` type has none.
    #[must_use]
    pub fn of_payload(
        account_id: Uuid,
        id: Uuid,
        event_type: String,
        platform: Option<String>,
        data: Value,
        is_test: bool,
        occurred_at: DateTime<Utc>,
    ) -> Self {
        let known = EventType::find(&event_type);
        let text = |key: Option<&str>| key.and_then(|key| data[key].as_str()).map(str::to_owned);
        let (user_id, name) = known.and_then(|known| known.person).unzip();
        let display_name = text(name);
        Self {
            id,
            account_id,
            platform_user_id: text(user_id),
            username: display_name.as_deref().map(str::to_lowercase),
            display_name,
            avatar_url: None,
            amount: known.and_then(|known| known.amount_in(&data)),
            currency: known.and_then(|known| known.currency_in(&data)),
            message: text(known.and_then(|known| known.message)),
            event_type,
            platform,
            data,
            is_test,
            occurred_at,
        }
    }

    /// Log event that publishes this one.
    ///
    /// # Errors
    /// None in practice: every field has a JSON form.
    pub fn announcement(&self) -> shared::Result<Event> {
        Ok(Event {
            id: self.id,
            channel: Channel::Events(self.account_id).to_string(),
            event_type: (if self.is_test { "event:test" } else { "event:new" }).to_owned(),
            data: serde_json::to_value(self)?,
            timestamp: self.occurred_at,
        })
    }

    /// `stream:online` or `stream:offline` for the events that imply it (reference/realtime.md#channels). A
    /// test has neither, because it would be believed.
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
