//! Reward of a redemption.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::{AccountEvent, rewards::RewardAction};
use serde_json::Value;
use shared::{Result, schema::rewards};
use uuid::Uuid;

/// Name of the events of redemptions, without the platform.
const REDEMPTION: &str = "reward";

/// Reward of the account that a viewer redeemed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RedeemedReward {
    /// Id of the reward; `None` for one that only the platform knows.
    pub id: Option<Uuid>,
    /// Automation that the action of the reward starts.
    pub started_automation: Option<Uuid>,
}

impl RedeemedReward {
    /// Returns the reward of a redemption; `None` for another event.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn of(connection: &mut AsyncPgConnection, event: &AccountEvent) -> Result<Option<Self>> {
        let Some((platform, REDEMPTION)) = event.event_type.split_once(':') else { return Ok(None) };
        let Some(reward_id) = event.data["reward_id"].as_str() else {
            return Ok(Some(Self { id: None, started_automation: None }));
        };
        let found: Option<(Uuid, bool, Value)> = rewards::table
            .filter(rewards::account_id.eq(event.account_id))
            .filter(rewards::platform.eq(platform).and(rewards::platform_reward_id.eq(reward_id)))
            .select((rewards::id, rewards::enabled, rewards::action))
            .first(connection)
            .await
            .optional()?;
        let started_automation = found.as_ref().filter(|(_, enabled, _)| *enabled && !event.is_test);
        let started_automation =
            started_automation.and_then(|(_, _, action)| match RewardAction::stored(action).ok()? {
                RewardAction::Automation { automation_id } => Some(automation_id),
                _ => None,
            });
        Ok(Some(Self { id: found.map(|(id, _, _)| id), started_automation }))
    }
}
