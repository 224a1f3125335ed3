//! Adaptive limit of concurrent effects: it is halved when the API cannot serve, and grows while it does.
//!
//! After an outage the backlog of all accounts is due at once. An API that gets all of it spends its time on
//! calls that end in timeouts, and each of them is repeated, so that it might not recover by itself.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use tokio::sync::Semaphore;

use super::api_failure::ApiFailure;

/// Highest limit, and the limit at the start.
const MAX_CONCURRENT: usize = 128;
/// Lowest limit.
const MIN_CONCURRENT: usize = 4;

/// Limit of a process. Cheap to clone.
#[derive(Clone)]
pub struct AdaptiveLimit {
    permits: Arc<Semaphore>,
    state: Arc<Mutex<State>>,
}

struct State {
    limit: usize,
    /// Number of permits in use beyond the limit, which fell meanwhile. They are not returned.
    excess: usize,
    /// Number of successes since the limit last changed.
    successes: usize,
    lowered_at: Option<Instant>,
}

/// Right to make one call.
struct Permit<'a> {
    of: &'a AdaptiveLimit,
    since: Instant,
}

impl AdaptiveLimit {
    /// Returns the highest limit.
    pub fn new() -> Self {
        let state = State { limit: MAX_CONCURRENT, excess: 0, successes: 0, lowered_at: None };
        Self { permits: Arc::new(Semaphore::new(MAX_CONCURRENT)), state: Arc::new(Mutex::new(state)) }
    }

    /// True while fewer calls than at most run concurrently.
    pub fn is_lowered(&self) -> bool {
        self.state().limit < MAX_CONCURRENT
    }

    /// Makes a call once there is room for it.
    pub async fn run<T>(&self, call: impl Future<Output = Result<T, ApiFailure>>) -> Result<T, ApiFailure> {
        let permit = self.enter().await;
        let outcome = call.await;
        match &outcome {
            Ok(_) | Err(ApiFailure::Refused { .. }) => self.succeeded(),
            Err(ApiFailure::Busy(_)) => self.failed(permit.since),
            // Nothing about its load: a platform may be slow, or the API may start.
            Err(ApiFailure::Away(_) | ApiFailure::KeyRefused) => {}
        }
        outcome
    }

    async fn enter(&self) -> Permit<'_> {
        // The semaphore is never closed.
        if let Ok(permit) = self.permits.acquire().await {
            permit.forget();
        }
        Permit { of: self, since: Instant::now() }
    }

    /// Raises the limit by one after as many successes as it allows calls.
    fn succeeded(&self) {
        let mut state = self.state();
        state.successes += 1;
        if state.successes >= state.limit && state.limit < MAX_CONCURRENT {
            (state.limit, state.successes) = (state.limit + 1, 0);
            self.add_permit(&mut state);
        }
    }

    /// Halves the limit, once for all calls that were made before it fell.
    fn failed(&self, since: Instant) {
        let mut state = self.state();
        if state.lowered_at.is_some_and(|lowered_at| since < lowered_at) {
            return;
        }
        let limit = (state.limit / 2).max(MIN_CONCURRENT);
        if state.limit == MAX_CONCURRENT {
            tracing::warn!(limit, "the API cannot serve all actions: fewer run concurrently");
        }
        let surplus = state.limit - limit;
        state.excess += surplus - self.permits.forget_permits(surplus);
        (state.limit, state.successes, state.lowered_at) = (limit, 0, Some(Instant::now()));
    }

    fn add_permit(&self, state: &mut State) {
        if state.excess > 0 {
            state.excess -= 1;
        } else {
            self.permits.add_permits(1);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.of.add_permit(&mut self.of.state());
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// Number of further calls that may be made concurrently.
    fn room(limit: &AdaptiveLimit) -> usize {
        limit.permits.available_permits()
    }

    fn busy() -> Result<(), ApiFailure> {
        Err(ApiFailure::Busy("503".to_owned()))
    }

    #[tokio::test]
    async fn adaptive_limit_falls_to_four_and_rises_again() {
        let limit = AdaptiveLimit::new();
        assert_eq!((room(&limit), limit.is_lowered()), (128, false));
        for expected in [64, 32, 16, 8, 4, 4] {
            assert!(limit.run(async { busy() }).await.is_err());
            assert_eq!((room(&limit), limit.is_lowered()), (expected, true));
        }
        let mut successes = 0;
        while limit.is_lowered() {
            limit.run(async { Ok(()) }).await.unwrap();
            successes += 1;
        }
        assert_eq!((room(&limit), successes), (128, (4..128).sum()));
        limit.run(async { Ok(()) }).await.unwrap();
        assert_eq!(room(&limit), 128, "no more than at most");
    }

    #[tokio::test]
    async fn adaptive_limit_falls_once_for_calls_that_began_together() {
        let limit = AdaptiveLimit::new();
        let together = (0..100).map(|_| {
            limit.run(async {
                tokio::task::yield_now().await;
                busy()
            })
        });
        futures::future::join_all(together).await;
        assert_eq!(room(&limit), 64);
    }

    #[tokio::test]
    async fn adaptive_limit_counts_calls_that_began_before_it_fell() {
        let limit = AdaptiveLimit::new();
        let mut begun = Vec::new();
        for _ in 0..128 {
            begun.push(limit.enter().await);
        }
        limit.failed(Instant::now());
        begun.truncate(64);
        assert!(limit.enter().now_or_never().is_none(), "64 are still running");
        begun.truncate(60);
        assert_eq!(room(&limit), 4);
        drop(begun);
        assert_eq!(room(&limit), 64);
    }

    #[tokio::test]
    async fn adaptive_limit_ignores_failures_that_say_nothing_about_load() {
        let limit = AdaptiveLimit::new();
        for failure in [
            ApiFailure::Away("timed out".to_owned()),
            ApiFailure::KeyRefused,
            ApiFailure::Refused { status: 400, problem: String::new() },
        ] {
            assert!(limit.run(async { Err::<(), _>(failure) }).await.is_err());
        }
        // A caller that gives up.
        drop(limit.run(std::future::pending::<Result<(), ApiFailure>>()).now_or_never());
        assert_eq!((room(&limit), limit.is_lowered()), (128, false));
    }
}
