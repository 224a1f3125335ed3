//! Action of a reward as a caller gives it (reference/rewards.md#actions).

use std::ops::RangeInclusive;

use api_core::{ApiError, Result, http::parse, validate};
use live_model::rewards::RewardAction;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use shared::platform::Platform;
use uuid::Uuid;

/// Length of the template of a message, in characters (reference/rewards.md#actions).
const MAX_TEMPLATE_LENGTH: usize = 500;
/// Shortest time for which a layer is changed, in seconds (reference/rewards.md#actions).
const MIN_LAYER_SECS: i32 = 1;
/// Longest time for which a layer is changed, in seconds (reference/rewards.md#actions).
const MAX_LAYER_SECS: i32 = 3600;
/// Allowed volumes.
const VOLUMES: RangeInclusive<f64> = 0.0..=1.0;

/// Checked action.
#[derive(Debug, Clone)]
pub(super) struct Action {
    /// Content of the action.
    pub content: RewardAction,
    /// Form in which it is stored and returned.
    pub stored: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    None,
    Automation,
    Sound,
    Chat,
    Layer,
}

#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    kind: Kind,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Automation {
    automation_id: Uuid,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sound {
    sound_id: Uuid,
    volume: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chat {
    template: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    layer_id: Uuid,
    visible: bool,
    duration_secs: Option<i32>,
}

/// Places an action under its name, so that errors name `action.sound_id`.
#[derive(Deserialize)]
struct Given<T> {
    action: T,
}

impl Action {
    /// Action of a reward that has none.
    pub fn none() -> Self {
        Self { content: RewardAction::None, stored: json!({}) }
    }

    /// Checks an action.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn check(given: Value) -> Result<Self> {
        let Value::Object(mut fields) = given else {
            return Err(ApiError::invalid("action must be an object"));
        };
        if fields.is_empty() {
            return Ok(Self::none());
        }
        let Typed { kind } = read(&fields)?;
        fields.remove("type");
        let content = match kind {
            Kind::None => read(&fields).map(|Nothing {}| RewardAction::None)?,
            Kind::Automation => read(&fields)
                .map(|Automation { automation_id }| RewardAction::Automation { automation_id })?,
            Kind::Sound => sound(read(&fields)?)?,
            Kind::Chat => {
                let Chat { template } = read(&fields)?;
                let template = validate::text("action.template", &template, 1, MAX_TEMPLATE_LENGTH)?;
                RewardAction::Chat { template }
            }
            Kind::Layer => layer(read(&fields)?)?,
        };
        Ok(Self { stored: serde_json::to_value(&content)?, content })
    }

    /// Refuses an action that would never run: only redemptions on Twitch are read.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn must_run_on(&self, platform: Platform) -> Result<()> {
        if platform == Platform::Twitch || self.content == RewardAction::None {
            return Ok(());
        }
        Err(ApiError::invalid(format!("action must be none for a reward of {platform}")))
    }
}

fn read<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T> {
    let Given { action } = parse(json!({ "action": fields }).to_string().as_bytes())?;
    Ok(action)
}

fn sound(Sound { sound_id, volume }: Sound) -> Result<RewardAction> {
    if VOLUMES.contains(&volume) {
        return Ok(RewardAction::Sound { sound_id, volume });
    }
    Err(ApiError::invalid("action.volume must be between 0 and 1"))
}

fn layer(Layer { layer_id, visible, duration_secs }: Layer) -> Result<RewardAction> {
    if duration_secs.is_some_and(|secs| !(MIN_LAYER_SECS..=MAX_LAYER_SECS).contains(&secs)) {
        let message = format!("action.duration_secs must be between {MIN_LAYER_SECS} and {MAX_LAYER_SECS}");
        return Err(ApiError::invalid(message));
    }
    Ok(RewardAction::Layer { layer_id, visible, duration_secs })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(given: Value) -> String {
        Action::check(given).unwrap_err().message
    }

    #[test]
    fn action_is_stored_in_its_form() {
        let id = Uuid::nil();
        for form in [
            json!({}),
            json!({ "type": "none" }),
            json!({ "type": "automation", "automation_id": id }),
            json!({ "type": "sound", "sound_id": id, "volume": 0.5 }),
            json!({ "type": "chat", "template": "{user}" }),
            json!({ "type": "layer", "layer_id": id, "visible": true }),
            json!({ "type": "layer", "layer_id": id, "visible": false, "duration_secs": 10 }),
        ] {
            let checked = Action::check(form.clone()).unwrap();
            assert_eq!(checked.stored, form);
            assert_eq!(RewardAction::stored(&form).unwrap(), checked.content);
        }
    }

    #[test]
    fn action_runs_on_twitch_only() {
        let chat = Action::check(json!({ "type": "chat", "template": "hi" })).unwrap();
        assert_eq!(chat.must_run_on(Platform::Twitch), Ok(()));
        let refusal = chat.must_run_on(Platform::Kick).unwrap_err();
        assert_eq!(refusal.message, "action must be none for a reward of kick");
        for none in [json!({}), json!({ "type": "none" })] {
            assert_eq!(Action::check(none).unwrap().must_run_on(Platform::Kick), Ok(()));
        }
    }

    #[test]
    fn action_refusals_name_the_field() {
        let id = Uuid::nil();
        assert_eq!(refused(json!([])), "action must be an object");
        assert_eq!(refused(json!({ "template": "x" })), "Missing field: action.type");
        assert_eq!(
            refused(json!({ "type": "dance" })),
            "Invalid action.type: must be one of none, automation, sound, chat, layer"
        );
        assert_eq!(refused(json!({ "type": "sound", "volume": 1 })), "Missing field: action.sound_id");
        assert_eq!(
            refused(json!({ "type": "automation", "automation_id": "x" })),
            "Invalid UUID: action.automation_id"
        );
        let more = refused(json!({ "type": "chat", "template": "x", "volume": 1 }));
        assert!(more.starts_with("Invalid action.volume: unknown field"), "{more}");
        let loud = json!({ "type": "sound", "sound_id": id, "volume": 1.5 });
        assert_eq!(refused(loud), "action.volume must be between 0 and 1");
        for secs in [0, 3601] {
            let long = json!({ "type": "layer", "layer_id": id, "visible": true, "duration_secs": secs });
            assert_eq!(refused(long), "action.duration_secs must be between 1 and 3600");
        }
        let long = json!({ "type": "chat", "template": "x".repeat(501) });
        assert_eq!(refused(long), "action.template must be between 1 and 500 characters");
    }
}
