//! Redeemed rewards (reference/rewards.md#redemptions): the API runs their actions, because it holds the
//! connections of the account. Layers that were changed for a time are changed back here.

use std::sync::Arc;

use apalis::prelude::{BoxDynError, Data};
use diesel_async::AsyncConnection;
use foundation::{
    db::Database,
    jobs::{RedeemReward, RestoreLayer},
};
use live_model::rewards::layers;
use queue::Later;
use shared::{Result, clock::Clock};

use super::{
    api::{Api, Redeemed},
    api_failure::ApiFailure,
    metrics::RuntimeMetrics,
};

/// Name in metrics.
const ACTION: &str = "reward:redeem";
/// Outcomes of an action that failed.
const FAILURES: [&str; 2] = ["refunded", "failed"];

/// Handler of redemptions. Cheap to clone.
#[derive(Clone)]
pub struct Redemptions(Arc<Parts>);

struct Parts {
    api: Api,
    database: Database,
    clock: Clock,
    metrics: RuntimeMetrics,
}

impl Redemptions {
    /// Returns a handler that reports redemptions to the API.
    pub fn new(api: Api, database: Database, clock: Clock, metrics: RuntimeMetrics) -> Self {
        Self(Arc::new(Parts { api, database, clock, metrics }))
    }

    /// Runs the action of a reward. A repeated job has no second effect.
    async fn redeem(&self, job: &RedeemReward) -> Result<(), BoxDynError> {
        let Parts { api, metrics, .. } = &*self.0;
        let (account_id, reward_id) = (job.account_id, job.reward_id);
        match api.redeem(job).await {
            Ok(Redeemed { repeat: true, .. }) => return Err("the redemption has not ended yet".into()),
            Ok(Redeemed { outcome: Some(outcome), error, .. }) if FAILURES.contains(&outcome.as_str()) => {
                tracing::info!(%account_id, %reward_id, outcome, error, "the action of a reward failed");
                metrics.acted(ACTION, "refused");
            }
            Ok(_) => metrics.acted(ACTION, "ok"),
            // Deleted meanwhile: another attempt changes nothing.
            Err(ApiFailure::Refused { status, problem }) => {
                tracing::info!(%account_id, %reward_id, status, problem, "a redemption was refused by the API");
                metrics.acted(ACTION, "failed");
            }
            Err(away) => {
                metrics.acted(ACTION, "failed");
                return Err(away.into());
            }
        }
        Ok(())
    }

    /// Changes a layer back, unless a later redemption keeps it.
    async fn restore(&self, job: &RestoreLayer) -> Result<(), BoxDynError> {
        let Parts { database, clock, .. } = &*self.0;
        let now = clock.now();
        if let Ok(left) = (job.due_at - now).to_std()
            && !left.is_zero()
        {
            return Err(Later::after(left).into());
        }
        let mut connection = database.get().await?;
        connection
            .transaction(async |connection| layers::restore(connection, job, now).await)
            .await
            .map_err(|error: shared::Error| error.into())
    }
}

/// Handles a job of `reward_redemptions`.
pub async fn redeem_reward(job: RedeemReward, redemptions: Data<Redemptions>) -> Result<(), BoxDynError> {
    redemptions.redeem(&job).await
}

/// Handles a job of `layer_restores`.
pub async fn restore_layer(job: RestoreLayer, redemptions: Data<Redemptions>) -> Result<(), BoxDynError> {
    redemptions.restore(&job).await
}
