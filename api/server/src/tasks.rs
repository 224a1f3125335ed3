//! Background tasks beside the listener.

use std::time::Duration;

use api_core::State;
use foundation::{
    db::{Database, Databases},
    invalidation::{CHANNEL, Invalidation},
};
use tokio::{
    task::JoinSet,
    time::{Instant, Interval, MissedTickBehavior},
};
use tokio_util::sync::CancellationToken;

const EXCHANGE_INTERVAL: Duration = Duration::from_millis(250);
const FLUSH_INTERVAL: Duration = Duration::from_secs(10);
/// Interval of the checks that a subscription is alive.
const PING_INTERVAL: Duration = Duration::from_secs(2);
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// Starts every task; they end when `stop` is cancelled.
pub fn start(state: &State, databases: Databases, stop: &CancellationToken) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(exchange_counts(state.clone(), stop.clone()));
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

/// Writes the last use of keys and tokens. It runs once more at the end, so that an orderly stop loses
/// nothing.
async fn flush_usage(state: State, database: Database, stop: CancellationToken) {
    let mut ticks = every(FLUSH_INTERVAL);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        flush(&state, &database).await;
    }
    // The pool's connections were driven by the threads of the listener, which have ended.
    let config = &state.config.databases;
    flush(&state, &Database::new(&config.postgres, 1, config.pool_timeout)).await;
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

/// Subscribes to changes and clears the caches of them. The caches stay empty while the subscription is lost,
/// so that a revoked right is never accepted.
async fn forget_what_changes(state: State, stop: CancellationToken) {
    let mut failures = 0_u32;
    let listening = async {
        loop {
            match listen(&state, &mut failures).await {
                Ok(()) => tracing::warn!("the subscription to changes was lost"),
                Err(error) => tracing::warn!(%error, "the subscription to changes failed"),
            }
            state.caches.close();
            failures = failures.saturating_add(1);
            tokio::time::sleep(pause(failures)).await;
        }
    };
    stop.run_until_cancelled(listening).await;
    state.caches.close();
}

/// Listens until the connection is lost.
async fn listen(state: &State, failures: &mut u32) -> shared::Result<()> {
    let (mut subscriber, mut messages) = state.redis.subscription().await?;
    subscriber.subscribe(&[state.redis.key(CHANNEL)]).await?;
    state.caches.open();
    *failures = 0;
    let mut checks = tokio::time::interval(PING_INTERVAL);
    loop {
        tokio::select! {
            message = messages.next() => match message {
                Some(message) => forget(state, message.get_payload_bytes()),
                None => return Ok(()),
            },
            _ = checks.tick() => subscriber.ping().await?,
        }
    }
}

fn forget(state: &State, message: &[u8]) {
    match serde_json::from_slice::<Invalidation>(message) {
        Ok(what) => state.caches.invalidate(&what),
        Err(error) => {
            // A newer version may publish a message that this one does not know. Everything is forgotten
            // then.
            tracing::warn!(%error, "an announcement of a change is malformed");
            state.caches.open();
        }
    }
}

/// Delay before the next attempt. It doubles from a tenth of a second, with jitter, so that the processes do
/// not all reconnect to a restarted Redis at once.
fn pause(failures: u32) -> Duration {
    let max_delay = Duration::from_millis(100).saturating_mul(1 << failures.min(10)).min(MAX_BACKOFF);
    max_delay.mul_f64(rand::random_range(0.5..1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_grows_up_to_its_bound() {
        assert!(pause(1) <= Duration::from_millis(200));
        for failures in [10, 1000, u32::MAX] {
            assert!((MAX_BACKOFF / 2..=MAX_BACKOFF).contains(&pause(failures)));
        }
    }
}
