use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Meter of the processor time of one invocation while its guest runs.
///
/// It reads the clock of the thread, so neither waiting nor other work on a busy machine counts. Between
/// `start` and `stop` the invocation does not change threads: both happen within one poll.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    spent_nanos: AtomicU64,
    started_nanos: AtomicU64,
}

impl Meter {
    /// Returns the time spent so far; correct only while the guest runs or after it has stopped.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent_nanos.load(Relaxed))
    }

    /// Returns the time spent so far, from inside the running guest.
    pub(crate) fn spent_while_running(&self) -> Duration {
        self.stop();
        self.start();
        self.spent()
    }

    fn start(&self) {
        self.started_nanos.store(thread_nanos(), Relaxed);
    }

    fn stop(&self) {
        let ran = thread_nanos().saturating_sub(self.started_nanos.load(Relaxed));
        self.spent_nanos.fetch_add(ran, Relaxed);
    }
}

/// Counts every poll of `future`.
pub(crate) async fn metered<F: Future>(meter: Arc<Meter>, future: F) -> F::Output {
    Polls { future: std::pin::pin!(future), before: || meter.start(), after: || meter.stop() }.await
}

/// Excludes the polls of `future`, which runs inside a metered one, from the count.
pub(crate) async fn unmetered<F: Future>(meter: &Meter, future: F) -> F::Output {
    Polls { future: std::pin::pin!(future), before: || meter.stop(), after: || meter.start() }.await
}

struct Polls<'a, F, B, A> {
    future: Pin<&'a mut F>,
    before: B,
    after: A,
}

impl<F: Future, B: Fn() + Unpin, A: Fn() + Unpin> Future for Polls<'_, F, B, A> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        (self.before)();
        let poll = self.future.as_mut().poll(cx);
        (self.after)();
        poll
    }
}

fn thread_nanos() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin(duration: Duration) {
        let start = thread_nanos();
        while Duration::from_nanos(thread_nanos() - start) < duration {
            std::hint::spin_loop();
        }
    }

    #[tokio::test]
    async fn meter_excludes_waiting_and_unmetered_work() {
        let meter = Arc::new(Meter::default());
        let inner = Arc::clone(&meter);

        metered(Arc::clone(&meter), async move {
            spin(Duration::from_millis(20));
            tokio::time::sleep(Duration::from_millis(50)).await;
            unmetered(&inner, async { spin(Duration::from_millis(200)) }).await;
        })
        .await;

        assert!(meter.spent() >= Duration::from_millis(20));
        assert!(meter.spent() < Duration::from_millis(200));
    }
}
