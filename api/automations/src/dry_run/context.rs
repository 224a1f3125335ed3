//! Cause of a dry run, and the values that its templates read.

use api_core::{ApiError, Result, access::AccountCaller};
use automation_model::{
    machine::Start,
    starts::{trigger_value, user},
};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    DryRunAutomationInput,
    db::{self, About},
};
use crate::runs::checked_value;

/// Cause of a dry run.
pub(super) enum Cause {
    Input(Value),
    Event(Value),
    EventId(Uuid),
}

/// Payload of the trigger, and the event.
pub(super) struct Happened {
    payload: Value,
    event: Value,
}

impl Cause {
    /// Checks that there is at most one cause, of at most 64 KiB.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn checked(given: DryRunAutomationInput) -> Result<Self> {
        let DryRunAutomationInput { input, event, event_id, trigger_node_id: _ } = given;
        match (input, event, event_id) {
            (input, None, None) => Ok(Self::Input(checked_value("input", input)?)),
            (None, Some(event), None) if event.0.is_object() => {
                Ok(Self::Event(checked_value("event", Some(event))?))
            }
            (None, Some(_), None) => Err(ApiError::invalid("event must be an object")),
            (None, None, Some(id)) => Ok(Self::EventId(id)),
            _ => Err(ApiError::invalid("Give one of input, event and event_id")),
        }
    }

    /// Reads a past event of the account.
    pub async fn event_of(self, caller: &AccountCaller) -> Result<Happened> {
        let event = match self {
            Self::Input(payload) => return Ok(Happened { payload, event: Value::Null }),
            Self::Event(event) => event,
            Self::EventId(id) => {
                let found = db::event(&mut *caller.timeseries().await?, caller.account, id).await?;
                serde_json::to_value(found)?
            }
        };
        Ok(Happened { payload: data_of(&event), event })
    }
}

/// Begin of the run.
pub(super) fn start(
    (trigger_node, node_type): (Uuid, &str),
    Happened { payload, event }: Happened,
    about: About,
    now: DateTime<Utc>,
) -> Start {
    let timezone = about.account.get("timezone").and_then(Value::as_str).and_then(|name| name.parse().ok());
    Start {
        trigger_node,
        trigger: trigger_value(trigger_node, node_type, payload),
        user: person(&event),
        event,
        account: about.account,
        stream: about.stream,
        now,
        timezone: timezone.unwrap_or(Tz::UTC),
    }
}

/// Data of an event, the payload of a trigger that the event starts; empty without any.
fn data_of(event: &Value) -> Value {
    event.get("data").filter(|data| !data.is_null()).cloned().unwrap_or_else(|| json!({}))
}

/// Person of an event; null without one.
fn person(event: &Value) -> Value {
    let text = |key: &str| event.get(key).and_then(Value::as_str);
    user(text("platform"), text("platform_user_id"), text("username"), text("display_name"), &[])
}
