//! Number of documents that a process makes at a time (reference/history.md#pdf). Each takes processor time and memory.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

/// Documents that are made at a time.
const MAX_CONCURRENT: usize = 2;
/// Longest time that a document waits.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

static MAKING: Semaphore = Semaphore::const_new(MAX_CONCURRENT);

/// Permission to make one document.
pub(super) type Permit = SemaphorePermit<'static>;

/// Waits for a permit; `None` when the wait is too long.
pub(super) async fn permit() -> Option<Permit> {
    tokio::time::timeout(WAIT_TIMEOUT, MAKING.acquire()).await.ok()?.ok()
}

#[cfg(test)]
mod tests {
    use futures::poll;

    use super::*;

    #[tokio::test]
    async fn permit_is_for_two_at_a_time() {
        let two = [permit().await.unwrap(), permit().await.unwrap()];
        let mut third = Box::pin(permit());
        assert!(poll!(&mut third).is_pending());
        drop(two);
        assert!(third.await.is_some(), "who waited is served");
    }
}
