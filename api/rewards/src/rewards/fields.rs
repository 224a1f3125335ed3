//! Fields of a reward and their rules (reference/rewards.md#rewards).

use api_core::{ApiError, Result, validate};
use shared::{engagement::RewardChange, platform::Platform};

use super::{CreateRewardInput, UpdateReward, action::Action};

/// Platforms that have rewards (reference/rewards.md#rewards).
pub(super) const PLATFORMS: [&str; 2] = ["twitch", "kick"];
/// Length of a title, in characters: that of Twitch (reference/rewards.md#rewards).
pub(super) const MAX_TITLE_LENGTH: usize = 45;
/// Length of the platform's id of a reward, in characters (reference/rewards.md#rewards).
pub(super) const MAX_PLATFORM_REWARD_ID_LENGTH: usize = 255;
/// Lowest price in channel points (reference/rewards.md#rewards).
pub(super) const MIN_COST: i32 = 1;
/// Highest price in channel points (reference/rewards.md#rewards).
pub(super) const MAX_COST: i32 = 1_000_000;

/// Checked fields of a new reward.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    /// Platform of the reward.
    pub platform: Platform,
    /// The platform's id; `None` for a reward to create there.
    pub platform_reward_id: Option<String>,
    /// Displayed text.
    pub title: String,
    /// Price in channel points.
    pub cost: i32,
    /// Action of a redemption.
    pub action: Action,
}

/// Checked change of a reward.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// Fields that the platform has too.
    pub at_platform: RewardChange,
    /// Action of a redemption.
    pub action: Option<Action>,
}

impl Draft {
    /// Checks a new reward.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn check(input: CreateRewardInput) -> Result<Self> {
        let platform = platform(&input.platform)?;
        let platform_reward_id = input
            .platform_reward_id
            .map(|id| validate::text("platform_reward_id", &id, 1, MAX_PLATFORM_REWARD_ID_LENGTH));
        if platform_reward_id.is_none() && platform != Platform::Twitch {
            return Err(ApiError::invalid("Missing field: platform_reward_id"));
        }
        let draft = Self {
            platform,
            platform_reward_id: platform_reward_id.transpose()?,
            title: title(&input.title)?,
            cost: cost(input.cost)?,
            action: input.action.map_or_else(|| Ok(Action::none()), |action| Action::check(action.0))?,
        };
        draft.action.must_run_on(platform)?;
        Ok(draft)
    }
}

impl Change {
    /// Checks a change.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn check(input: UpdateReward) -> Result<Self> {
        let at_platform = RewardChange {
            title: input.title.not_null("title")?.map(|given| title(&given)).transpose()?,
            cost: input.cost.not_null("cost")?.map(cost).transpose()?,
            is_enabled: input.enabled.not_null("enabled")?,
        };
        let action = input.action.not_null("action")?.map(|action| Action::check(action.0)).transpose()?;
        Ok(Self { at_platform, action })
    }

    /// Returns the names of the changed fields, for the audit trail.
    pub fn names(&self) -> Vec<&'static str> {
        let RewardChange { title, cost, is_enabled } = &self.at_platform;
        [
            ("title", title.is_some()),
            ("cost", cost.is_some()),
            ("enabled", is_enabled.is_some()),
            ("action", self.action.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name))
        .collect()
    }
}

fn platform(given: &str) -> Result<Platform> {
    let known = PLATFORMS.contains(&given).then(|| given.parse().ok()).flatten();
    known.ok_or_else(|| ApiError::invalid(format!("platform must be {}", PLATFORMS.join(" or "))))
}

fn title(given: &str) -> Result<String> {
    validate::text("title", given, 1, MAX_TITLE_LENGTH)
}

fn cost(given: i32) -> Result<i32> {
    if (MIN_COST..=MAX_COST).contains(&given) {
        return Ok(given);
    }
    Err(ApiError::invalid(format!("cost must be between {MIN_COST} and {MAX_COST}")))
}
