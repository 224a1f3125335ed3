//! Meter of a process (reference/usage.md#counting).
//!
//! Counts wait in memory only until the addition before theirs has been answered by Redis and its interval has passed. So
//! a process makes one addition at a time, with whatever was counted meanwhile. A receipt states that its count is stored:
//! what is answered after it survives a kill of the process. An addition whose answer is lost is repeated under its number
//! and made once.

mod additions;
mod receipt;
mod run_time;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use foundation::{redis::Redis, telemetry::Metrics};
use prometheus::IntCounterVec;
use shared::{Error, Result, clock::Clock, id};
use tokio::{runtime::Handle, sync::watch, time::sleep};

use crate::{
    consumer::Consumer,
    counts::{Counter, Counts},
    fields::hour_of,
};
use additions::{Addition, Pending, Sending, Target};

pub use receipt::{RECEIPT_TIMEOUT, Receipt};
pub use run_time::HEARTBEAT_INTERVAL;

/// Hours and consumers that a process keeps while Redis is away. Counts of further ones are dropped.
const MAX_PENDING: usize = 10_000;
/// Shortest time from the answer to an addition to the next one, while several callers count. Each costs a process as
/// much as a request does.
const ADDITION_INTERVAL: Duration = Duration::from_millis(1);
/// First and longest pause before an addition is repeated.
const MIN_BACKOFF: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(2);

/// Meter of a process. Cheap to clone.
#[derive(Clone)]
pub struct Meter {
    shared: Arc<Shared>,
}

struct Shared {
    redis: Redis,
    clock: Clock,
    /// Runtime of the process, which no single request keeps busy.
    runtime: Handle,
    target: Target,
    state: Mutex<State>,
    stored: watch::Sender<Progress>,
    failures: IntCounterVec,
    dropped: IntCounterVec,
}

#[derive(Default)]
struct State {
    /// Counts that no addition has yet.
    pending: Pending,
    /// Number of calls that made them.
    pending_calls: u64,
    /// Generation of the pending counts.
    generation: u64,
    /// Counts that are being added.
    sending: Option<Sending>,
    /// Number of the last addition.
    last_number: u64,
    /// True while a task makes the additions.
    is_sending: bool,
}

/// Progress of the additions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    /// Counts of generations before this one are stored.
    next_generation: u64,
    /// True after a failure, until the next success.
    is_away: bool,
}

/// Task that makes additions. Also when it is dropped with its runtime, another one can begin.
struct Sender(Meter);

impl Meter {
    /// Meter of a process, without counts. Additions are made on the present runtime.
    ///
    /// # Errors
    /// A metric of the same name and another kind, or no runtime.
    pub fn new(redis: Redis, clock: Clock, metrics: &Metrics) -> Result<Self> {
        let runtime = Handle::try_current().map_err(|error| Error::Internal(error.to_string()))?;
        let target = Target::of(&redis, id::new());
        let (stored, _) = watch::channel(Progress { next_generation: 0, is_away: false });
        let shared = Shared {
            runtime,
            target,
            state: Mutex::default(),
            stored,
            failures: metrics.counters(
                "lumio_usage_addition_failures_total",
                "Times that counts of usage could not be added; they are added later.",
                &[],
            )?,
            dropped: metrics.counters(
                "lumio_usage_counts_dropped_total",
                "Counts of usage that were lost, because too many waited for Redis.",
                &[],
            )?,
            redis,
            clock,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Counts in the present hour. A negative number takes back what was counted in this hour and did not happen.
    pub fn count(&self, consumer: Consumer, counter: Counter, number: i64) -> Receipt {
        self.count_in(hour_of(self.shared.clock.now()), consumer, counter, number)
    }

    /// Takes back what a receipt stands for, in the hour in which it was counted. Returns the receipt of that.
    pub fn take_back(&self, receipt: &Receipt) -> Receipt {
        let Some(counted) = receipt.counted() else { return Receipt::none() };
        let number = counted.number.saturating_neg();
        self.count_in(counted.hour, counted.consumer, counted.counter, number)
    }

    fn count_in(&self, hour: i64, consumer: Consumer, counter: Counter, number: i64) -> Receipt {
        let mut state = self.state();
        let key = (hour, consumer);
        if state.pending.len() >= MAX_PENDING && !state.pending.contains_key(&key) {
            drop(state);
            self.shared.dropped.with_label_values::<&str>(&[]).inc();
            return Receipt::none();
        }
        let counts: &mut Counts = state.pending.entry(key).or_default();
        counts.add(counter, number);
        state.pending_calls = state.pending_calls.saturating_add(1);
        let generation = state.generation;
        let begins = !std::mem::replace(&mut state.is_sending, true);
        drop(state);
        if begins {
            self.begin_sending();
        }
        Receipt::of(
            receipt::Counted { hour, consumer, counter, number },
            generation,
            self.shared.stored.subscribe(),
        )
    }

    /// Begins a task that makes additions until no counts wait.
    fn begin_sending(&self) {
        let sender = Sender(self.clone());
        self.shared.runtime.spawn(async move { sender.0.send_all().await });
    }

    async fn send_all(&self) {
        let mut pause = MIN_BACKOFF;
        while let Some(addition) = self.next_addition() {
            match self.shared.target.add(&self.shared.redis, &addition).await {
                Ok(()) => {
                    if self.settle(&addition) > 1 {
                        sleep(ADDITION_INTERVAL).await;
                    }
                    pause = MIN_BACKOFF;
                }
                Err(error) => {
                    tracing::debug!(%error, "counts of usage cannot be added now");
                    self.shared.failures.with_label_values::<&str>(&[]).inc();
                    self.shared.stored.send_modify(|progress| progress.is_away = true);
                    sleep(pause).await;
                    pause = (pause * 2).min(MAX_BACKOFF);
                }
            }
        }
    }

    /// Returns the addition to make next: one whose answer was lost before all others. `None` when nothing waits; the
    /// task then ends.
    fn next_addition(&self) -> Option<Addition> {
        let mut state = self.state();
        loop {
            if let Some(addition) = state.sending.as_ref().and_then(|sending| sending.left.front()) {
                return Some(addition.clone());
            }
            if let Some(done) = state.sending.take() {
                self.publish(&done);
            }
            if state.pending.is_empty() {
                state.is_sending = false;
                return None;
            }
            let (pending, generation) = (std::mem::take(&mut state.pending), state.generation);
            let mut sending = Sending::of(pending, generation, state.last_number);
            sending.calls = std::mem::take(&mut state.pending_calls);
            state.generation = generation.saturating_add(1);
            state.last_number = sending.last_number(state.last_number);
            state.sending = Some(sending);
        }
    }

    /// Records that an addition is made. Returns the number of calls whose counts are stored by that.
    fn settle(&self, made: &Addition) -> u64 {
        let mut state = self.state();
        let Some(sending) = state.sending.as_mut() else { return 0 };
        if sending.left.front().is_some_and(|first| first.number == made.number) {
            sending.left.pop_front();
        }
        if !sending.left.is_empty() {
            return 0;
        }
        let Some(done) = state.sending.take() else { return 0 };
        self.publish(&done);
        done.calls
    }

    fn publish(&self, done: &Sending) {
        let next_generation = done.generation.saturating_add(1);
        self.shared.stored.send_replace(Progress { next_generation, is_away: false });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.state().is_sending = false;
    }
}

#[cfg(test)]
mod tests {
    use shared::{
        config::{Environment, RedisConfig},
        secret::Secret,
    };
    use uuid::Uuid;

    use super::*;

    fn without_redis() -> Meter {
        let config = RedisConfig {
            url: Secret::new("redis://127.0.0.1:1"),
            prefix: "t".into(),
            pool_size: 1,
            pool_timeout: Duration::from_millis(50),
        };
        let metrics = Metrics::new("t", Environment::Development).unwrap();
        Meter::new(Redis::new(&config).unwrap(), Clock::default(), &metrics).unwrap()
    }

    #[tokio::test]
    async fn meter_keeps_counts_while_redis_is_away_and_delays_no_caller() {
        let (meter, account) = (without_redis(), Consumer::account(Uuid::now_v7()));
        let first = meter.count(account, Counter::Requests, 1);
        let mut progress = meter.shared.stored.subscribe();
        progress.wait_for(|at| at.is_away).await.unwrap();
        first.stored().await;
        for _ in 0..2 {
            meter.count(account, Counter::Requests, 1).stored().await;
        }
        let state = meter.state();
        let waiting: i64 = state.pending.values().map(|counts| counts.requests).sum();
        assert_eq!((waiting, state.sending.as_ref().map(|sending| sending.left.len())), (2, Some(1)));
    }

    #[tokio::test]
    async fn meter_drops_counts_of_further_consumers_above_its_bound() {
        let meter = without_redis();
        let known = Consumer::account(Uuid::now_v7());
        meter.count(known, Counter::Fetches, 1).stored().await;
        for _ in 0..MAX_PENDING {
            drop(meter.count(Consumer::account(Uuid::now_v7()), Counter::Fetches, 1));
        }
        let further = meter.count(Consumer::account(Uuid::now_v7()), Counter::Fetches, 1);
        assert!(further.counted().is_none());
        assert_eq!(meter.state().pending.len(), MAX_PENDING);
        assert_eq!(meter.shared.dropped.with_label_values::<&str>(&[]).get(), 1);
    }

    #[tokio::test]
    async fn meter_takes_back_in_the_hour_of_the_count() {
        let (meter, account) = (without_redis(), Consumer::account(Uuid::now_v7()));
        meter.count(account, Counter::Requests, 1).stored().await;
        let message = meter.count(account, Counter::Messages, 1);
        meter.shared.clock.advance(chrono::Duration::hours(1));
        drop(meter.take_back(&message));
        let state = meter.state();
        assert_eq!(state.pending.values().collect::<Vec<_>>(), [&Counts::default()]);
    }
}
