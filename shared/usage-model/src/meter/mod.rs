//! Meter of a process (reference/usage.md#counting).
//!
//! Counts wait in memory only until the addition before theirs has been answered by Redis. A thread with a runtime of its
//! own, as those that serve requests, makes one addition at a time, with whatever it counted meanwhile: to wake another
//! thread costs as much as a request. A receipt states that its count is stored: what is answered after it survives a kill
//! of the process. An addition whose answer is lost is repeated under its number and made once.

mod additions;
mod buffer;
mod receipt;
mod run_time;

use std::{sync::Arc, time::Duration};

use foundation::{redis::Redis, telemetry::Metrics};
use prometheus::IntCounterVec;
use shared::{Error, Result, clock::Clock};
use thread_local::ThreadLocal;
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    time::sleep,
};

use crate::{consumer::Consumer, counts::Counter, fields::hour_of};
use buffer::Buffer;
use receipt::Counted;

pub use receipt::{RECEIPT_TIMEOUT, Receipt};
pub use run_time::HEARTBEAT_INTERVAL;

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
    /// Counts of the threads of that runtime, and of threads without one.
    of_process: Arc<Buffer>,
    /// Counts of each thread with a runtime of its own.
    of_threads: ThreadLocal<Arc<Buffer>>,
    failures: IntCounterVec,
    dropped: IntCounterVec,
}

/// Task that makes the additions of a buffer. When it is dropped with the runtime of a thread, another one continues on
/// the runtime of the process.
struct Sender {
    shared: Arc<Shared>,
    buffer: Arc<Buffer>,
    /// True on the runtime of a thread, which may end before the process.
    is_of_thread: bool,
    /// True when the buffer knows that the task ends.
    is_ended: bool,
}

impl Meter {
    /// Meter of a process, without counts. Additions are made on the present runtime, and on those of threads that have
    /// one.
    ///
    /// # Errors
    /// A metric of the same name and another kind, or no runtime.
    pub fn new(redis: Redis, clock: Clock, metrics: &Metrics) -> Result<Self> {
        let runtime = Handle::try_current().map_err(|error| Error::Internal(error.to_string()))?;
        let shared = Shared {
            runtime,
            of_process: Arc::new(Buffer::new(&redis)),
            of_threads: ThreadLocal::new(),
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
        self.count_in(Counted { hour: hour_of(self.shared.clock.now()), consumer, counter, number })
    }

    /// Takes back what a receipt stands for, in the hour in which it was counted. Returns the receipt of that.
    pub fn take_back(&self, receipt: &Receipt) -> Receipt {
        let Some(counted) = receipt.counted() else { return Receipt::none() };
        self.count_in(Counted { number: counted.number.saturating_neg(), ..counted })
    }

    fn count_in(&self, counted: Counted) -> Receipt {
        let (buffer, of_thread) = self.present();
        let Some(added) = buffer.add(&counted) else {
            self.shared.dropped.with_label_values::<&str>(&[]).inc();
            return Receipt::none();
        };
        if added.begins {
            let (shared, buffer) = (Arc::clone(&self.shared), Arc::clone(buffer));
            let sender = Sender { shared, buffer, is_of_thread: of_thread.is_some(), is_ended: false };
            sender.begin(of_thread.as_ref().unwrap_or(&self.shared.runtime));
        }
        Receipt::of(counted, added.generation, buffer.progress())
    }

    /// Buffer of the present thread, and the runtime that the thread has of its own.
    fn present(&self) -> (&Arc<Buffer>, Option<Handle>) {
        let runtime = Handle::try_current().ok();
        match runtime.filter(|runtime| runtime.runtime_flavor() == RuntimeFlavor::CurrentThread) {
            Some(runtime) => {
                let buffer = self.shared.of_threads.get_or(|| Arc::new(Buffer::new(&self.shared.redis)));
                (buffer, Some(runtime))
            }
            None => (&self.shared.of_process, None),
        }
    }
}

impl Sender {
    fn begin(mut self, runtime: &Handle) {
        runtime.spawn(async move { self.send_all().await });
    }

    async fn send_all(&mut self) {
        let mut pause = MIN_BACKOFF;
        while let Some(addition) = self.buffer.next_addition() {
            match self.buffer.send(&self.shared.redis, &addition).await {
                Ok(()) => {
                    self.buffer.settle(&addition);
                    pause = MIN_BACKOFF;
                }
                Err(error) => {
                    tracing::debug!(%error, "counts of usage cannot be added now");
                    self.shared.failures.with_label_values::<&str>(&[]).inc();
                    self.buffer.report_failure();
                    sleep(pause).await;
                    pause = (pause * 2).min(MAX_BACKOFF);
                }
            }
        }
        self.is_ended = true;
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        if self.is_ended {
            return;
        }
        if !self.is_of_thread {
            self.buffer.end_sending();
            return;
        }
        let (shared, buffer) = (Arc::clone(&self.shared), Arc::clone(&self.buffer));
        let sender = Self { shared, buffer, is_of_thread: false, is_ended: false };
        sender.begin(&self.shared.runtime);
    }
}

#[cfg(test)]
mod tests {
    use shared::{
        config::{Environment, RedisConfig},
        secret::Secret,
    };
    use uuid::Uuid;

    use super::{buffer::MAX_PENDING, *};
    use crate::counts::Counts;

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
        let (buffer, _) = meter.present();
        buffer.progress().wait_for(|at| at.is_away).await.unwrap();
        first.stored().await;
        for _ in 0..2 {
            meter.count(account, Counter::Requests, 1).stored().await;
        }
        let state = buffer.state();
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
        assert_eq!(meter.present().0.state().pending.len(), MAX_PENDING);
        assert_eq!(meter.shared.dropped.with_label_values::<&str>(&[]).get(), 1);
    }

    #[tokio::test]
    async fn meter_takes_back_in_the_hour_of_the_count() {
        let (meter, account) = (without_redis(), Consumer::account(Uuid::now_v7()));
        meter.count(account, Counter::Requests, 1).stored().await;
        let message = meter.count(account, Counter::Messages, 1);
        meter.shared.clock.advance(chrono::Duration::hours(1));
        drop(meter.take_back(&message));
        let state = meter.present().0.state();
        assert_eq!(state.pending.values().collect::<Vec<_>>(), [&Counts::default()]);
    }

    /// Counts a request on a thread with a runtime of its own, which ends with it. Returns the requests that wait there.
    fn count_on_a_thread(meter: &Meter) -> i64 {
        let meter = meter.clone();
        let counted = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let receipt = meter.count(Consumer::account(Uuid::now_v7()), Counter::Requests, 1);
                let waiting = requests(meter.present().0);
                receipt.stored().await;
                waiting
            })
        });
        counted.join().unwrap()
    }

    fn requests(buffer: &Buffer) -> i64 {
        buffer.state().pending.values().map(|counts| counts.requests).sum()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn meter_keeps_the_counts_of_threads_with_a_runtime_of_their_own_apart() {
        let meter = without_redis();
        assert_eq!(count_on_a_thread(&meter), 1);
        assert_eq!(requests(&meter.shared.of_process), 0);
        drop(meter.count(Consumer::account(Uuid::now_v7()), Counter::Requests, 2));
        assert!(Arc::ptr_eq(meter.present().0, &meter.shared.of_process));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn meter_adds_the_counts_of_a_thread_that_has_ended() {
        let meter = without_redis();
        count_on_a_thread(&meter);
        let failures = || meter.shared.failures.with_label_values::<&str>(&[]).get();
        let of_the_thread = failures();
        let repeated = async {
            while failures() < of_the_thread + 2 {
                sleep(MIN_BACKOFF).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), repeated)
            .await
            .expect("another task repeats the addition");
    }
}
