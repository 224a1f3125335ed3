//! Events of an account: follows, raids, subscriptions, streams that begin.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::Row;
use crate::events::{Channel, Event};

/// An event (C B12.1): the `data` of `event:new`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountEvent {
    /// Also the id of the `event:new` event.
    pub id: Uuid,
    pub account_id: Uuid,
    /// `{platform}:{name}` out of the catalogue of C B12.2.
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
    pub is_test: bool,
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
            event_type: "event:new".to_owned(),
            data: serde_json::to_value(self)?,
            timestamp: self.occurred_at,
        })
    }
}

impl Row for EventRow {
    const TABLE: &'static str = "events";
}
