//! Rewards of channel points: their actions, and the redemptions that run them
//! (reference/rewards.md#redemptions).

pub mod layers;

use chrono::TimeDelta;
use diesel::{dsl::sql, prelude::*, sql_types::Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::{Result, platform::Platform, schema::rewards::dsl};
use uuid::Uuid;

/// Age of a redemption beyond which its action does not run (reference/rewards.md#redemptions).
pub const MAX_REDEMPTION_AGE: TimeDelta = TimeDelta::minutes(10);
/// Length of the platform's id of a redemption, in characters. It is part of the keys of jobs.
pub const MAX_REDEMPTION_ID_LENGTH: usize = 128;
/// Length of the name and of the id of the viewer, in characters.
pub const MAX_VIEWER_LENGTH: usize = 255;
/// Length of the text that the viewer entered, in characters.
pub const MAX_INPUT_LENGTH: usize = 500;

/// Action that runs at a redemption (reference/rewards.md#actions).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum RewardAction {
    /// Nothing runs.
    None,
    /// An automation starts.
    Automation {
        /// Automation of the account.
        automation_id: Uuid,
    },
    /// A sound plays.
    Sound {
        /// Sound of the account.
        sound_id: Uuid,
        /// 0 to 1.
        volume: f64,
    },
    /// The account's bot sends a message.
    Chat {
        /// Text with variables.
        template: String,
    },
    /// A layer of an overlay is shown or hidden.
    Layer {
        /// Layer of the account.
        layer_id: Uuid,
        /// True to show it.
        visible: bool,
        /// Time after which it changes back, in seconds. `None`: it does not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_secs: Option<i32>,
    },
}

impl RewardAction {
    /// Reads a stored action. An empty object is no action.
    ///
    /// # Errors
    /// A value that is no action.
    pub fn stored(value: &Value) -> Result<Self> {
        if value.as_object().is_some_and(Map::is_empty) {
            return Ok(Self::None);
        }
        Ok(Self::deserialize(value)?)
    }
}

/// Returns account and id of the enabled rewards with an action that some accounts have for a reward of a
/// platform.
///
/// # Errors
/// A failure of the database.
pub async fn with_action(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
    platform: Platform,
    platform_reward_id: &str,
) -> Result<Vec<(Uuid, Uuid)>> {
    Ok(dsl::rewards
        .filter(dsl::account_id.eq_any(accounts))
        .filter(dsl::platform.eq(platform.slug()).and(dsl::platform_reward_id.eq(platform_reward_id)))
        .filter(dsl::enabled.and(sql::<Bool>("coalesce(action ->> 'type', 'none') <> 'none'")))
        .order(dsl::account_id)
        .select((dsl::account_id, dsl::id))
        .prepared()
        .load(connection)
        .await?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stored_actions_are_read_in_the_form_of_the_api() {
        let (id, read) = (Uuid::nil(), |value: Value| RewardAction::stored(&value).unwrap());
        assert_eq!(read(json!({})), RewardAction::None);
        assert_eq!(read(json!({ "type": "none" })), RewardAction::None);
        let layer = json!({ "type": "layer", "layer_id": id, "visible": true });
        let action = RewardAction::Layer { layer_id: id, visible: true, duration_secs: None };
        assert_eq!((read(layer.clone()), serde_json::to_value(&action).unwrap()), (action, layer));
        assert!(RewardAction::stored(&json!({ "type": "dance" })).is_err());
        assert!(RewardAction::stored(&json!({ "template": "x" })).is_err());
    }
}
