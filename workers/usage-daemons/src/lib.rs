//! The daemon `usage`: moves counts to the hours, compares budgets with them, and measures stored bytes
//! (reference/usage.md#daemon). Any number of copies work at the same time.

mod metrics;
mod round;

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use worker_core::Context;

pub use round::Rounds;

/// Interval between rounds.
const ROUND_INTERVAL: Duration = Duration::from_secs(10);

/// Runs until `shutdown` is cancelled, then finishes the transaction in progress.
///
/// # Errors
/// A metric that is registered as another kind.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let rounds = Rounds::new(&context, shutdown.clone())?;
    let mut ticks = interval(ROUND_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        rounds.run().await;
    }
    Ok(())
}
