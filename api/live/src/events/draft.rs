//! Event to emit, checked against the catalogue (reference/events.md#emitting).

use api_core::{ApiError, Result};
use chrono::{DateTime, SubsecRound, Utc};
use live_model::{AccountEvent, EventType, is_custom};
use serde_json::{Map, Value};
use shared::id::AccountId;
use uuid::Uuid;

use super::{EmitEventInput, known_platform};

/// Largest `data` as JSON, in bytes.
const MAX_DATA_BYTES: usize = 64 * 1024;

/// Checked event before its emission.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    event_type: String,
    platform: Option<String>,
    data: Value,
    is_test: bool,
}

impl Draft {
    /// Checks an event to emit.
    pub fn check(input: EmitEventInput) -> Result<Self> {
        let is_test = input.is_test.unwrap_or(true);
        let Value::Object(given) = input.data.0 else {
            return Err(ApiError::invalid("data must be an object"));
        };
        if serde_json::to_string(&given)?.len() > MAX_DATA_BYTES {
            return Err(ApiError::invalid(format!("data must not be larger than {MAX_DATA_BYTES} bytes")));
        }
        match EventType::find(&input.event_type) {
            Some(known) => {
                let platform = known.platform();
                if input.platform.is_some_and(|given| given != platform) {
                    return Err(ApiError::invalid(format!("platform must be {platform} for {}", known.name)));
                }
                Self::of(known, &given, is_test)
            }
            None if is_custom(&input.event_type) => {
                let platform = input.platform.map(known_platform).transpose()?;
                Ok(Self::custom(input.event_type, platform, given, is_test))
            }
            None => Err(ApiError::invalid(format!("Unknown event type: {}", input.event_type))),
        }
    }

    /// Event of the catalogue.
    pub fn of(known: &'static EventType, given: &Map<String, Value>, is_test: bool) -> Result<Self> {
        let data = known.read(given).map_err(|wrong| ApiError::invalid(wrong.to_string()))?;
        Ok(Self {
            event_type: known.name.to_owned(),
            platform: Some(known.platform().to_owned()),
            data,
            is_test,
        })
    }

    /// Event of a `custom:` type.
    pub fn custom(
        event_type: String,
        platform: Option<String>,
        data: Map<String, Value>,
        is_test: bool,
    ) -> Self {
        Self { event_type, platform, data: Value::Object(data), is_test }
    }

    /// Type of the event.
    pub fn event_type(&self) -> &str {
        &self.event_type
    }

    /// The event with its id and time.
    pub fn into_event(self, account: AccountId, id: Uuid, now: DateTime<Utc>) -> AccountEvent {
        let (account_id, at) = (account.uuid(), now.trunc_subsecs(3));
        AccountEvent::of_payload(account_id, id, self.event_type, self.platform, self.data, self.is_test, at)
    }
}
