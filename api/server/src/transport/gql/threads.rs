//! Threads that validate documents, apart from those that serve requests.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use api_core::{ApiError, Code, Result};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

/// Largest number of waiting documents, including those that are being validated.
const MAX_WAITING: usize = 128;
/// Largest number of them that belong to one caller.
const MAX_WAITING_PER_CALLER: usize = 16;
/// Longest wait of a request for a thread, and for another request that reads the same document.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Permits for a few threads, and the queue before them.
pub struct Threads {
    permits: Arc<Semaphore>,
    count: usize,
    waiting: Mutex<HashMap<String, usize>>,
    running: Arc<Running>,
}

#[derive(Default)]
struct Running {
    now: AtomicUsize,
    peak: AtomicUsize,
}

/// Use of the threads.
#[derive(Debug, Clone, Copy)]
pub struct ThreadState {
    /// Number of documents that may be validated at once.
    pub limit: usize,
    /// Largest number that was validated at once since the start of the process.
    pub peak: usize,
}

impl Default for Threads {
    /// Half of the processors, so that serving continues meanwhile.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self::new((processors / 2).max(1))
    }
}

impl Threads {
    fn new(count: usize) -> Self {
        let permits = Arc::new(Semaphore::new(count));
        Self { permits, count, waiting: Mutex::default(), running: Arc::default() }
    }

    /// Current use.
    pub fn state(&self) -> ThreadState {
        ThreadState { limit: self.count, peak: self.running.peak.load(Ordering::SeqCst) }
    }

    /// Waits for a thread.
    ///
    /// # Errors
    /// 429 when too many wait, or too many of the caller's, or none is free in time.
    pub async fn enter(&self, caller: &str, deadline: Instant) -> Result<Thread<'_>> {
        let place = self.line_up(caller).ok_or_else(busy)?;
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = timeout_at(deadline, permit).await.map_err(|_elapsed| busy())?;
        Ok(Thread { permit: permit.map_err(ApiError::internal)?, running: &self.running, _place: place })
    }

    fn line_up(&self, caller: &str) -> Option<QueuePosition<'_>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let own = waiting.get(caller).copied().unwrap_or_default();
        if own >= MAX_WAITING_PER_CALLER || waiting.values().sum::<usize>() >= MAX_WAITING {
            return None;
        }
        waiting.insert(caller.to_owned(), own + 1);
        Some(QueuePosition { threads: self, caller: caller.to_owned() })
    }
}

/// Error of a document that waits too long or behind too many.
pub fn busy() -> ApiError {
    ApiError::new(Code::RateLimitExceeded, "Too many new documents at once").with_retry_after(1)
}

/// Place in the queue.
struct QueuePosition<'a> {
    threads: &'a Threads,
    caller: String,
}

impl Drop for QueuePosition<'_> {
    fn drop(&mut self) {
        let mut waiting = self.threads.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = waiting.get_mut(&self.caller) {
            *own -= 1;
            if *own == 0 {
                waiting.remove(&self.caller);
            }
        }
    }
}

/// Permit to use a thread once.
pub struct Thread<'a> {
    permit: OwnedSemaphorePermit,
    running: &'a Arc<Running>,
    _place: QueuePosition<'a>,
}

impl Thread<'_> {
    /// Runs work on the thread. The permit moves with it: work that no caller waits for any more still
    /// counts.
    ///
    /// # Errors
    /// 500 when it panics.
    pub async fn run<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let (permit, running) = (self.permit, Arc::clone(self.running));
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let _counted = Counted::begin(running);
            work()
        });
        done.await.map_err(ApiError::internal)
    }
}

struct Counted(Arc<Running>);

impl Counted {
    fn begin(running: Arc<Running>) -> Self {
        let now = running.now.fetch_add(1, Ordering::SeqCst) + 1;
        running.peak.fetch_max(now, Ordering::SeqCst);
        Self(running)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;

    use super::*;

    fn deadline() -> Instant {
        Instant::now() + WAIT_TIMEOUT
    }

    #[tokio::test]
    async fn threads_run_at_most_as_many_as_there_are_permits() {
        let threads = Threads::new(2);
        let runs = (0..MAX_WAITING_PER_CALLER).map(async |n| {
            let thread = threads.enter("somebody", deadline()).await?;
            thread.run(move || n).await
        });
        let done: Result<Vec<usize>> = join_all(runs).await.into_iter().collect();
        assert_eq!(done.unwrap(), (0..MAX_WAITING_PER_CALLER).collect::<Vec<_>>());
        let state = threads.state();
        assert!(state.peak <= state.limit && state.peak > 0, "{state:?}");
        assert!(threads.waiting.lock().unwrap().is_empty(), "nobody is left in the line");
    }

    #[tokio::test]
    async fn threads_bound_the_waiting_requests_of_one_caller() {
        let threads = Threads::new(1);
        let busy = threads.enter("a", deadline()).await.unwrap();
        let mut waiting: Vec<_> =
            (1..MAX_WAITING_PER_CALLER).map(|_| threads.line_up("a").unwrap()).collect();
        let error = threads.enter("a", deadline()).await.err().unwrap();
        assert_eq!((error.code, error.retry_after), (Code::RateLimitExceeded, Some(1)));
        let others = (MAX_WAITING_PER_CALLER..MAX_WAITING).map(|n| threads.line_up(&n.to_string()).unwrap());
        waiting.extend(others);
        assert!(threads.line_up("one too many").is_none());
        drop(waiting.pop());
        assert!(threads.line_up("somebody else").is_some());
        drop(busy);
    }

    #[tokio::test]
    async fn threads_return_an_error_for_a_panic_and_release_the_permit() {
        let threads = Threads::new(1);
        let failed =
            threads.enter("a", deadline()).await.unwrap().run(|| panic!("a fault of the library")).await;
        let failed: Result<()> = failed;
        assert_eq!(failed.unwrap_err().code, Code::InternalServerError);
        assert_eq!(threads.enter("a", deadline()).await.unwrap().run(|| 1).await.unwrap(), 1);
    }
}
