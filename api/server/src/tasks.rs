//! Background tasks beside the listener.

use std::time::Duration;

use api_core::State;
use foundation::{
    db::{Database, Databases, PoolOptions},
    invalidation,
};
use tokio::{
    task::JoinSet,
    time::{Instant, Interval, MissedTickBehavior},
};
use tokio_util::sync::CancellationToken;

const EXCHANGE_INTERVAL: Duration = Duration::from_millis(250);
const FLUSH_INTERVAL: Duration = Duration::from_secs(10);

/// Starts every task; they end when `stop` is cancelled.
pub fn start(state: &State, databases: Databases, stop: &CancellationToken) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(exchange_counts(state.clone(), stop.clone()));
    tasks.spawn(read_stops(state.clone(), databases.postgres.clone(), stop.clone()));
    tasks.spawn(flush_usage(state.clone(), databases.postgres, stop.clone()));
    tasks.spawn(forget_what_changes(state.clone(), stop.clone()));
    tasks
}

/// Exchanges the counts of rate limits: publishes the counts of this process to Redis and reads those of the
/// others.
async fn exchange_counts(state: State, stop: CancellationToken) {
    let mut ticks = every(EXCHANGE_INTERVAL);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        state.limiter.exchange().await;
    }
}

/// Keeps the stops of budgets current (reference/usage.md#stops).
async fn read_stops(state: State, database: Database, stop: CancellationToken) {
    stop.run_until_cancelled(state.stops.run(&database)).await;
}

/// Writes the last use of keys and tokens. It runs once more at the end, so that an orderly stop loses
/// nothing.
async fn flush_usage(state: State, database: Database, stop: CancellationToken) {
    let mut ticks = every(FLUSH_INTERVAL);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        flush(&state, &database).await;
    }
    // The pool's connections were driven by the threads of the listener, which have ended.
    let config = &state.config.databases;
    let options = PoolOptions { size: 1, ..PoolOptions::of(config) };
    flush(&state, &Database::open(&config.postgres, options)).await;
}

async fn flush(state: &State, database: &Database) {
    if let Err(error) = state.usage.flush(database).await {
        tracing::warn!(%error, "uses of keys and tokens were not written");
    }
}

fn every(period: Duration) -> Interval {
    let mut ticks = tokio::time::interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Clears the caches of announced changes, so that a revoked right is never accepted.
async fn forget_what_changes(state: State, stop: CancellationToken) {
    invalidation::listen(&state.redis, &state.caches, &stop).await;
}
