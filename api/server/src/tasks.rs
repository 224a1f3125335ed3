//! What runs beside the listener.

use std::time::Duration;

use api_core::State;
use futures::StreamExt;
use shared::{
    db::Database,
    invalidation::{CHANNEL, Invalidation},
};
use tokio::{
    task::JoinSet,
    time::{Instant, Interval, MissedTickBehavior},
};
use tokio_util::sync::CancellationToken;

const EXCHANGE_INTERVAL: Duration = Duration::from_millis(250);
const FLUSH_INTERVAL: Duration = Duration::from_secs(10);
/// A subscription that does not answer for this long is taken for lost.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// Starts every task; they end when `stop` is cancelled.
pub fn start(state: &State, stop: &CancellationToken) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(exchange_counts(state.clone(), stop.clone()));
    tasks.spawn(flush_usage(state.clone(), stop.clone()));
    tasks.spawn(forget_what_changes(state.clone(), stop.clone()));
    tasks
}

/// Rate limits: tells Redis what this process counted and learns what others did.
async fn exchange_counts(state: State, stop: CancellationToken) {
    let mut ticks = every(EXCHANGE_INTERVAL);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        state.limiter.exchange().await;
    }
}

/// When keys and tokens were last used. Once more at the end, so that an orderly stop loses nothing.
async fn flush_usage(state: State, stop: CancellationToken) {
    let mut ticks = every(FLUSH_INTERVAL);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        flush(&state, &state.databases.postgres).await;
    }
    // The pool's connections were driven by the listener's threads, which have ended.
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

/// Hears what changed and forgets it. While nothing can be heard the caches stay empty, so that a revoked right is
/// never believed.
async fn forget_what_changes(state: State, stop: CancellationToken) {
    let mut failures = 0_u32;
    let listening = async {
        loop {
            match listen(&state, &mut failures).await {
                Ok(()) => tracing::warn!("the subscription to changes was lost"),
                Err(error) => tracing::warn!(%error, "changes cannot be heard"),
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
    let (mut sink, mut messages) = state.redis.pubsub().await?.split();
    sink.subscribe(state.redis.key(CHANNEL)).await?;
    state.caches.open();
    *failures = 0;
    let mut checks = tokio::time::interval(SIGN_OF_LIFE);
    loop {
        tokio::select! {
            message = messages.next() => match message {
                Some(message) => forget(state, message.get_payload_bytes()),
                None => return Ok(()),
            },
            _ = checks.tick() => {
                let answer = tokio::time::timeout(SIGN_OF_LIFE, sink.ping::<redis::Value>()).await;
                answer.map_err(|_elapsed| shared::Error::Redis("the subscription does not answer".into()))??;
            }
        }
    }
}

fn forget(state: &State, message: &[u8]) {
    match serde_json::from_slice::<Invalidation>(message) {
        Ok(what) => state.caches.invalidate(&what),
        Err(error) => {
            // A newer version may announce what this one does not know: then everything is forgotten.
            tracing::warn!(%error, "an announcement of a change is not readable");
            state.caches.open();
        }
    }
}

/// Doubles from a tenth of a second, with jitter, so that a restarted Redis is not met by every process at once.
fn pause(failures: u32) -> Duration {
    let longest = Duration::from_millis(100).saturating_mul(1 << failures.min(10)).min(MAX_BACKOFF);
    longest.mul_f64(rand::random_range(0.5..1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        assert!(pause(1) <= Duration::from_millis(200));
        for failures in [10, 1000, u32::MAX] {
            assert!((MAX_BACKOFF / 2..=MAX_BACKOFF).contains(&pause(failures)));
        }
    }
}
