//! Redemptions of rewards.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Job;

/// Runs the action of a redeemed reward, once for each redemption (reference/rewards.md#redemptions).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedeemReward {
    /// Account of the reward.
    pub account_id: Uuid,
    /// The reward.
    pub reward_id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// Id of the redemption on the platform.
    pub redemption_id: String,
    /// Id of the viewer on the platform; `None` when it is not known.
    pub platform_user_id: Option<String>,
    /// Display name of the viewer.
    pub user_name: String,
    /// Text that the viewer entered; empty without one.
    pub input: String,
    /// Points that the viewer spent.
    pub cost: i32,
    /// Time of the redemption.
    pub redeemed_at: DateTime<Utc>,
}

impl Job for RedeemReward {
    const QUEUE: &'static str = "reward_redemptions";
}

/// Changes a layer back that a redemption has shown or hidden for a time (reference/rewards.md#layers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreLayer {
    /// Account of the layer.
    pub account_id: Uuid,
    /// The layer.
    pub layer_id: Uuid,
    /// True to show it.
    pub visible: bool,
    /// Time from which it is changed back.
    pub due_at: DateTime<Utc>,
}

impl Job for RestoreLayer {
    const QUEUE: &'static str = "layer_restores";
}
