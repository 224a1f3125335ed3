//! Number of documents that a process makes at a time (reference/history.md#pdf). Each takes processor time and memory.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

/// Documents that are made at a time.
const MAX_CONCURRENT: usize = 2;
/// Documents that wait.
const MAX_WAITING: usize = 8;
/// Longest time that a document waits.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

static MAKING: Semaphore = Semaphore::const_new(MAX_CONCURRENT);
static ADMITTED: Semaphore = Semaphore::const_new(MAX_CONCURRENT + MAX_WAITING);

/// Permission to make one document.
pub(super) struct Permit {
    _making: SemaphorePermit<'static>,
    _admitted: SemaphorePermit<'static>,
}

/// Waits for a permit; `None` when too many wait or the wait is too long.
pub(super) async fn permit() -> Option<Permit> {
    let admitted = ADMITTED.try_acquire().ok()?;
    let making = tokio::time::timeout(WAIT_TIMEOUT, MAKING.acquire()).await.ok()?.ok()?;
    Some(Permit { _making: making, _admitted: admitted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn permit_is_for_two_at_a_time_and_eight_that_wait() {
        let two = [permit().await.unwrap(), permit().await.unwrap()];
        let waiting: Vec<_> = (0..MAX_WAITING).map(|_| tokio::spawn(permit())).collect();
        while ADMITTED.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(permit().await.is_none(), "the queue is full");
        drop(two);
        for waiting in waiting {
            assert!(waiting.await.unwrap().is_some(), "who waited is served");
        }
    }
}
