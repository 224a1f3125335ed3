//! Queries over rewards and their redemptions. Each carries the account.

use api_core::{ApiError, Result, State, access::SystemReason};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::rewards::RewardAction;
use serde_json::Value;
use shared::{
    id::AccountId,
    platform::Platform,
    schema::{
        reward_redemptions::{self, dsl},
        rewards,
    },
};
use uuid::Uuid;

use super::RedemptionOutcome;

/// Reward whose action runs.
#[derive(Debug, Clone)]
pub(super) struct Reward {
    /// Id of the reward.
    pub id: Uuid,
    /// Account of the reward.
    pub account: AccountId,
    /// Platform of the reward.
    pub platform: Platform,
    /// The platform's id of the reward.
    pub platform_reward_id: String,
    /// True when Lumio created it at the platform.
    pub is_managed: bool,
    /// Displayed text.
    pub title: String,
    /// Action of a redemption.
    pub action: RewardAction,
    enabled: bool,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = rewards)]
struct Row {
    id: Uuid,
    account_id: AccountId,
    platform: String,
    platform_reward_id: String,
    is_managed: bool,
    title: String,
    enabled: bool,
    action: Value,
}

/// Claim of a redemption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// The call runs the action. No other call does.
    Taken,
    /// An earlier call has begun it and stored no outcome.
    Open {
        /// Time of its claim.
        since: DateTime<Utc>,
    },
    /// An earlier call ended with this outcome.
    Ended(RedemptionOutcome),
}

impl Reward {
    /// True when a redemption runs an action.
    pub fn has_effect(&self) -> bool {
        self.enabled && self.action != RewardAction::None
    }
}

impl RedemptionOutcome {
    const STORED: [(Self, &'static str); 3] =
        [(Self::Fulfilled, "fulfilled"), (Self::Refunded, "refunded"), (Self::Failed, "failed")];

    fn stored(text: &str) -> Result<Self> {
        let found = Self::STORED.into_iter().find(|(_, stored)| *stored == text);
        found.map(|(outcome, _)| outcome).ok_or_else(|| ApiError::internal("an unknown outcome is stored"))
    }

    /// Stored text; `None` for an outcome that is not stored.
    fn text(self) -> Option<&'static str> {
        Self::STORED.into_iter().find(|(outcome, _)| *outcome == self).map(|(_, text)| text)
    }
}

pub(super) async fn reward(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    id: Uuid,
) -> Result<Option<Reward>> {
    let row: Option<Row> = rewards::table
        .filter(rewards::account_id.eq(account).and(rewards::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.map(|row| {
        Ok(Reward {
            id: row.id,
            account: row.account_id,
            platform: row.platform.parse().map_err(ApiError::internal)?,
            platform_reward_id: row.platform_reward_id,
            is_managed: row.is_managed,
            title: row.title,
            action: RewardAction::stored(&row.action)?,
            enabled: row.enabled,
        })
    })
    .transpose()
}

/// Claims a redemption. The database decides between concurrent calls.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    reward: &Reward,
    redemption_id: &str,
    now: DateTime<Utc>,
) -> Result<Claim> {
    let inserted = insert_into(dsl::reward_redemptions)
        .values((
            dsl::reward_id.eq(reward.id),
            dsl::account_id.eq(reward.account),
            dsl::redemption_id.eq(redemption_id),
            dsl::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    if inserted == 1 {
        return Ok(Claim::Taken);
    }
    let stored: Option<(Option<String>, DateTime<Utc>)> = redemption(reward, redemption_id)
        .select((dsl::outcome, dsl::created_at))
        .first(connection)
        .await
        .optional()?;
    match stored {
        Some((Some(outcome), _)) => Ok(Claim::Ended(RedemptionOutcome::stored(&outcome)?)),
        Some((None, since)) => Ok(Claim::Open { since }),
        // The other call has released the claim; the repeated call takes it.
        None => Ok(Claim::Open { since: now }),
    }
}

/// Stores an outcome where none is stored, and returns the stored one.
pub(super) async fn settle(
    state: &State,
    reward: &Reward,
    redemption_id: &str,
    outcome: RedemptionOutcome,
) -> Result<RedemptionOutcome> {
    let connection = &mut *state.system(SystemReason::HandlerAction).db().await?;
    let open = redemption(reward, redemption_id).filter(dsl::outcome.is_null());
    if update(open).set(dsl::outcome.eq(outcome.text())).execute(connection).await? == 1 {
        return Ok(outcome);
    }
    let stored: Option<Option<String>> =
        redemption(reward, redemption_id).select(dsl::outcome).first(connection).await.optional()?;
    stored.flatten().map_or(Ok(outcome), |stored| RedemptionOutcome::stored(&stored))
}

/// Records that the points of a failed action were returned.
pub(super) async fn refunded(state: &State, reward: &Reward, redemption_id: &str) -> Result<()> {
    let connection = &mut *state.system(SystemReason::HandlerAction).db().await?;
    let failed = redemption(reward, redemption_id).filter(dsl::outcome.eq(RedemptionOutcome::Failed.text()));
    update(failed).set(dsl::outcome.eq(RedemptionOutcome::Refunded.text())).execute(connection).await?;
    Ok(())
}

/// Deletes a claim without an outcome.
pub(super) async fn release(state: &State, reward: &Reward, redemption_id: &str) -> Result<()> {
    let connection = &mut *state.system(SystemReason::HandlerAction).db().await?;
    let open = redemption(reward, redemption_id).filter(dsl::outcome.is_null());
    diesel::delete(open).execute(connection).await?;
    Ok(())
}

/// Row of a redemption.
#[diesel::dsl::auto_type(no_type_alias)]
fn redemption<'a>(reward: &'a Reward, redemption_id: &'a str) -> _ {
    let reward_id: Uuid = reward.id;
    let account: AccountId = reward.account;
    let of_account = dsl::reward_id.eq(reward_id).and(dsl::account_id.eq(account));
    reward_redemptions::table.filter(of_account.and(dsl::redemption_id.eq(redemption_id)))
}
