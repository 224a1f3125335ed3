//! Actions of redeemed rewards (reference/rewards.md#redemptions). A worker reports a redemption. Its action
//! runs here, **at most once** for each redemption: its row is written before the effect and the outcome after
//! it. Then a redemption of a reward that Lumio created ends at its platform: as fulfilled, or with the points
//! returned. That step is repeated until the platform has answered.

mod db;
mod effect;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Grants, System},
};
use chrono::{DateTime, Utc};
use live_model::rewards::{
    MAX_INPUT_LENGTH, MAX_REDEMPTION_AGE, MAX_REDEMPTION_ID_LENGTH, MAX_VIEWER_LENGTH,
};
use platform_access::PlatformAccess as _;
use serde::{Deserialize, Serialize};
use shared::engagement::{Redemption, RedemptionEnd};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    ActionErrorCode, Refusal, is_past,
    outcome::{MAX_RUN_DURATION, until_written},
};
use crate::chat::acting::{As, Obstacle, acting};
use db::{Claim, Reward};

/// Redemption of a reward.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct RewardRedemptionInput {
    /// Account of the reward.
    pub account_id: Uuid,
    /// The platform's id of the redemption, 1 to 128 characters.
    #[schema(extensions(("maxLength" = json!(MAX_REDEMPTION_ID_LENGTH))))]
    pub redemption_id: String,
    /// The platform's id of the viewer, at most 255 characters; null when it is not known.
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(MAX_VIEWER_LENGTH))))]
    pub platform_user_id: Option<String>,
    /// Display name of the viewer, at most 255 characters.
    #[schema(extensions(("maxLength" = json!(MAX_VIEWER_LENGTH))))]
    pub user_name: String,
    /// Text that the viewer entered, at most 500 characters; empty without one.
    #[schema(extensions(("maxLength" = json!(MAX_INPUT_LENGTH))))]
    pub input: String,
    /// Points that the viewer spent.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub cost: i32,
    /// Time of the redemption.
    pub redeemed_at: Timestamp,
}

/// Result of a redemption.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RewardRedemptionResult {
    /// Outcome of the action. Null: another call runs it.
    pub outcome: Option<RedemptionOutcome>,
    /// True when the call must be repeated later: the action runs, or the platform did not answer.
    pub repeat: bool,
    /// Reason why the action failed in this call; null without one.
    pub error: Option<String>,
}

/// Outcome of a redemption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RedemptionOutcome {
    /// The action ran.
    Fulfilled,
    /// The action failed, and the viewer has the points back.
    Refunded,
    /// The action failed.
    Failed,
    /// The reward is switched off or has no action.
    Skipped,
}

pub static INTERNAL_REDEEM_REWARD: Operation<System> =
    Operation::internal("internalRedeemReward", Grants::Nothing).not_idempotent("the redemption is its key");

/// Runs the action of a redeemed reward.
///
/// It runs at most once for each redemption. A repeated call has no further effect, and ends the redemption at
/// the platform if that is left to do. Ten minutes after the redemption the action no longer runs: it counts as
/// failed. Failures of the action are 200.
///
/// (reference/rewards.md#redemptions)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for a malformed call; 404 when the account has no such reward.
#[api_core::operation]
pub async fn internal_redeem_reward(
    cx: &Cx,
    reward: Input<Uuid>,
    redemption: Input<RewardRedemptionInput>,
) -> Result<RewardRedemptionResult> {
    let system = cx.authorize(&INTERNAL_REDEEM_REWARD).await?;
    let (id, redemption) = (reward?, redemption?);
    redemption.check()?;
    let mut connection = system.db().await?;
    let reward = db::reward(&mut connection, redemption.account_id, id).await?;
    let reward = reward.ok_or_else(|| ApiError::not_found("Reward not found"))?;
    if !reward.has_effect() {
        return Ok(RewardRedemptionResult::ended(RedemptionOutcome::Skipped));
    }
    let now = cx.state().clock.now();
    let claim = db::claim(&mut connection, &reward, &redemption.redemption_id, now).await?;
    drop(connection);
    // Runs as an own task: a caller that disconnects must not prevent the record of an effect.
    let cx = cx.clone();
    let task = tokio::spawn(async move { run(&cx, &reward, &redemption, claim).await });
    task.await.map_err(ApiError::internal)?
}

async fn run(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
    claim: Claim,
) -> Result<RewardRedemptionResult> {
    let (outcome, error) = match claim {
        Claim::Taken => execute(cx, reward, redemption).await?,
        Claim::Ended(outcome) => (outcome, None),
        Claim::Open { since } if cx.state().clock.now() - since <= MAX_RUN_DURATION => {
            return Ok(RewardRedemptionResult { outcome: None, repeat: true, error: None });
        }
        // The call that began it has died. The effect may have happened; the viewer is not to pay for none.
        Claim::Open { .. } => (settle(cx, reward, redemption, RedemptionOutcome::Failed).await?, None),
    };
    let ended = conclude(cx, reward, redemption, outcome).await?;
    Ok(RewardRedemptionResult { error, ..ended })
}

/// Runs the action and stores its outcome.
async fn execute(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
) -> Result<(RedemptionOutcome, Option<String>)> {
    let redeemed_at: DateTime<Utc> = redemption.redeemed_at.into();
    let effect = match is_past(cx, Some(redeemed_at + MAX_REDEMPTION_AGE)) {
        true => Ok(Err(Refusal::new(ActionErrorCode::Expired, "the redemption is too old"))),
        false => effect::run(cx, reward, redemption).await,
    };
    let (outcome, error) = match effect {
        Ok(Ok(())) => (RedemptionOutcome::Fulfilled, None),
        Ok(Err(refusal)) => (RedemptionOutcome::Failed, Some(refusal.message)),
        Err(error) => {
            // Failures of the server come before the effect, so another call may run the action.
            until_written(|| db::release(cx.state(), reward, &redemption.redemption_id)).await?;
            return Err(error);
        }
    };
    Ok((settle(cx, reward, redemption, outcome).await?, error))
}

/// Stores an outcome, unless another call has stored one, and returns the stored one.
async fn settle(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
    outcome: RedemptionOutcome,
) -> Result<RedemptionOutcome> {
    until_written(|| db::settle(cx.state(), reward, &redemption.redemption_id, outcome)).await
}

/// Ends the redemption at its platform, which takes that of rewards only that Lumio created.
async fn conclude(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
    outcome: RedemptionOutcome,
) -> Result<RewardRedemptionResult> {
    let end = match outcome {
        RedemptionOutcome::Fulfilled => RedemptionEnd::Fulfilled,
        RedemptionOutcome::Failed => RedemptionEnd::Refunded,
        RedemptionOutcome::Refunded | RedemptionOutcome::Skipped => {
            return Ok(RewardRedemptionResult::ended(outcome));
        }
    };
    if !reward.is_managed {
        return Ok(RewardRedemptionResult::ended(outcome));
    }
    match report(cx, reward, redemption, end).await? {
        Ok(()) if end == RedemptionEnd::Refunded => {
            until_written(|| db::refunded(cx.state(), reward, &redemption.redemption_id)).await?;
            Ok(RewardRedemptionResult::ended(RedemptionOutcome::Refunded))
        }
        Ok(()) => Ok(RewardRedemptionResult::ended(outcome)),
        Err(obstacle) if is_temporary(&obstacle) => {
            Ok(RewardRedemptionResult { repeat: true, ..RewardRedemptionResult::ended(outcome) })
        }
        Err(obstacle) => {
            // Somebody else has ended it, or the connection may not: it stays as it is at the platform.
            tracing::info!(account_id = %reward.account, reward_id = %reward.id, %obstacle, "a redemption was not ended at its platform");
            Ok(RewardRedemptionResult::ended(outcome))
        }
    }
}

async fn report(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
    end: RedemptionEnd,
) -> Result<Result<(), Obstacle>> {
    let mut acting = match acting(cx, reward.account.uuid(), Some(reward.platform), As::Channel).await? {
        Ok(acting) => acting,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    let ended = &Redemption {
        channel_id: acting.channel_id.clone(),
        reward_id: reward.platform_reward_id.clone(),
        redemption_id: redemption.redemption_id.clone(),
    };
    let client = cx.state().platforms().client(reward.platform);
    acting
        .call(cx, |credentials| async move { client.update_redemption(&credentials, ended, end).await })
        .await
}

fn is_temporary(obstacle: &Obstacle) -> bool {
    match obstacle {
        Obstacle::Postponed => true,
        Obstacle::Platform(error) => error.is_transient(),
        _ => false,
    }
}

impl RewardRedemptionResult {
    const fn ended(outcome: RedemptionOutcome) -> Self {
        Self { outcome: Some(outcome), repeat: false, error: None }
    }
}

impl RewardRedemptionInput {
    /// Checks the lengths. The texts are those of a platform and may hold anything.
    fn check(&self) -> Result<()> {
        let bounds = [
            ("redemption_id", Some(&self.redemption_id), 1, MAX_REDEMPTION_ID_LENGTH),
            ("platform_user_id", self.platform_user_id.as_ref(), 0, MAX_VIEWER_LENGTH),
            ("user_name", Some(&self.user_name), 0, MAX_VIEWER_LENGTH),
            ("input", Some(&self.input), 0, MAX_INPUT_LENGTH),
        ];
        for (field, text, min, max) in bounds {
            let length = text.map_or(min, |text| text.chars().count());
            if length < min || length > max {
                return Err(ApiError::invalid(format!("{field} must be between {min} and {max} characters")));
            }
        }
        if self.cost < 0 {
            return Err(ApiError::invalid("cost must not be negative"));
        }
        Ok(())
    }
}
