//! Events as fixtures and event files write them.

use chrono::{DateTime, Utc};
use extension_runtime::local::LocalInstall;
use live_model::{AccountEvent, EventType, is_custom};
use serde::Deserialize;
use serde_json::{Map, Value};
use simulation::{Happening, Scenario, Simulation, plan};
use uuid::Uuid;

/// Event: its type, or its parts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum EventInput {
    /// Type, with a simulated payload.
    Type(String),
    /// Parts.
    Parts(EventParts),
}

/// Parts of an event.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventParts {
    /// Type of the catalogue, or `custom:` and a name.
    #[serde(rename = "type")]
    pub event_type: String,
    /// Keys of the payload. Keys of the type that are missing are null.
    #[serde(default)]
    pub data: Map<String, Value>,
    /// Slug of the platform of a custom event.
    #[serde(default)]
    pub platform: Option<String>,
}

impl EventInput {
    /// Returns the event at a time.
    ///
    /// # Errors
    /// An unknown type, and a value that its key does not take.
    pub fn event(self, at: DateTime<Utc>) -> Result<AccountEvent, String> {
        match self {
            Self::Type(name) => simulated(&name, 1, at),
            Self::Parts(parts) => given(parts, at),
        }
    }
}

/// Returns a simulated event of a type.
///
/// # Errors
/// An unknown type.
pub fn simulated(event_type: &str, seed: u64, at: DateTime<Utc>) -> Result<AccountEvent, String> {
    let platform = EventType::find(event_type).map_or("twitch", EventType::platform);
    let scenario = Scenario::Event(event_type.to_owned());
    let simulation = Simulation::new(scenario, platform, seed, (1, 1)).map_err(|error| error.to_string())?;
    let step = plan(&simulation, at).into_iter().next().ok_or("the simulation is empty")?;
    let Happening::Event { event_type, data } = step.what else {
        return Err("the simulation has no event".to_owned());
    };
    given(EventParts { event_type, data, platform: None }, at)
}

fn given(parts: EventParts, at: DateTime<Utc>) -> Result<AccountEvent, String> {
    let EventParts { event_type, data, platform } = parts;
    let (platform, data) = match EventType::find(&event_type) {
        Some(known) => {
            let payload = known.read(&data).map_err(|wrong| wrong.to_string())?;
            (Some(known.platform().to_owned()), payload)
        }
        None if is_custom(&event_type) => (platform, Value::Object(data)),
        None => return Err(format!("Unknown event type: {event_type}")),
    };
    let (account_id, id) = (LocalInstall::account_id(), Uuid::nil());
    Ok(AccountEvent::of_payload(account_id, id, event_type, platform, data, true, at))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(input: Value) -> Result<AccountEvent, String> {
        serde_json::from_value::<EventInput>(input).unwrap().event(DateTime::UNIX_EPOCH)
    }

    #[test]
    fn event_input_fills_in_what_the_catalogue_derives() {
        let cheer = event(
            json!({ "type": "twitch:cheer", "data": { "user_name": "Ada", "user_id": "7", "bits": 100 } }),
        );
        let cheer = cheer.unwrap();
        assert_eq!((cheer.amount, cheer.currency.as_deref()), (Some(100), Some("bits")));
        assert_eq!(
            (cheer.display_name.as_deref(), cheer.platform_user_id.as_deref()),
            (Some("Ada"), Some("7"))
        );
        assert_eq!(cheer.data["message"], Value::Null);
        let raid = event(json!("twitch:raid")).unwrap();
        assert!(raid.data["viewer_count"].as_u64().unwrap() > 0 && raid.is_test);
        assert_eq!(
            event(json!({ "type": "custom:win", "data": { "n": 1 } })).unwrap().data,
            json!({ "n": 1 })
        );
        assert_eq!(event(json!("twitch:folower")).unwrap_err(), "Unknown event type: twitch:folower");
        let wrong = event(json!({ "type": "twitch:cheer", "data": { "bits": "many" } })).unwrap_err();
        assert_eq!(wrong, "data.bits must be a whole number of 0 or more or null");
    }
}
