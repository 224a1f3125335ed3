//! Waiting for conditions. A deadline here separates a hang from a busy machine, never fast from slow.

use std::{
    panic::Location,
    time::{Duration, Instant},
};

pub use stack::DEADLINE;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Waits until a condition holds; returns the duration.
#[track_caller]
pub fn eventually<'a>(
    what: &'a str,
    holds: impl AsyncFnMut() -> bool + 'a,
) -> impl Future<Output = Duration> + 'a {
    eventually_within(DEADLINE, what, holds)
}

/// The same for slow conditions: a lease that has to expire first.
#[track_caller]
pub fn eventually_within<'a>(
    deadline: Duration,
    what: &'a str,
    mut holds: impl AsyncFnMut() -> bool + 'a,
) -> impl Future<Output = Duration> + 'a {
    let caller = Location::caller();
    async move {
        let began = Instant::now();
        while !holds().await {
            assert!(began.elapsed() < deadline, "{caller}: not within {deadline:?}: {what}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        began.elapsed()
    }
}

/// Waits until a count is zero. A falling count is no hang, however slowly it falls.
#[track_caller]
pub fn eventually_none<'a>(
    what: &'a str,
    mut left: impl AsyncFnMut() -> i64 + 'a,
) -> impl Future<Output = Duration> + 'a {
    let caller = Location::caller();
    async move {
        let began = Instant::now();
        let (mut least, mut progressed) = (i64::MAX, began);
        loop {
            let now_left = left().await;
            if now_left == 0 {
                return began.elapsed();
            }
            if now_left < least {
                (least, progressed) = (now_left, Instant::now());
            }
            assert!(progressed.elapsed() < DEADLINE, "{caller}: {least} left for {DEADLINE:?}: {what}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

/// Waits for what a future yields.
#[track_caller]
pub fn arrives<'a, F>(what: &'a str, future: F) -> impl Future<Output = F::Output> + 'a
where
    F: Future + 'a,
{
    let caller = Location::caller();
    async move {
        match tokio::time::timeout(DEADLINE, future).await {
            Ok(value) => value,
            Err(_elapsed) => panic!("{caller}: not within {DEADLINE:?}: {what}"),
        }
    }
}
