//! Lookups of opaque credentials that the process does not remember: few at a time, so that guesses take
//! neither the database pool nor the time of valid callers (reference/credentials.md#lookup).

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use moka::sync::Cache;
use shared::clock::Clock;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{ApiError, Result};

/// Lookups of a process at a time.
const MAX_CONCURRENT: usize = 4;
/// Longest wait for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which a credential that does not exist is remembered as such.
const MISS_LIFETIME: TimeDelta = TimeDelta::seconds(60);
/// Remembered misses. They are kept apart from credentials, so that guesses evict none of those.
const MAX_MISSES: u64 = 100_000;

/// Permits for lookups, and hashes of credentials that do not exist.
pub struct Lookups {
    permits: Semaphore,
    permit_timeout: Duration,
    misses: Cache<Vec<u8>, DateTime<Utc>>,
    clock: Clock,
}

impl Lookups {
    /// No lookups are in progress, no misses are remembered.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self::within(PERMIT_TIMEOUT, clock)
    }

    fn within(permit_timeout: Duration, clock: Clock) -> Self {
        let (permits, misses) = (Semaphore::new(MAX_CONCURRENT), Cache::new(MAX_MISSES));
        Self { permits, permit_timeout, misses, clock }
    }

    /// Waits for a permit of one lookup.
    ///
    /// # Errors
    /// 500 `DATABASE_ERROR` when no permit was free in time.
    pub async fn permit(&self) -> Result<SemaphorePermit<'_>> {
        match tokio::time::timeout(self.permit_timeout, self.permits.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            // The semaphore is never closed, so the other error is the timeout too.
            Ok(Err(_)) | Err(_) => {
                let cause = "no permit for the lookup of a credential in time";
                Err(ApiError::from(shared::Error::Pool(cause.to_owned())))
            }
        }
    }

    /// Remembers that no credential has this hash.
    pub fn remember_miss(&self, hash: Vec<u8>) {
        self.misses.insert(hash, self.clock.now() + MISS_LIFETIME);
    }

    /// True when a recent lookup found no credential with this hash.
    #[must_use]
    pub fn is_miss(&self, hash: &Vec<u8>) -> bool {
        self.misses.get(hash).is_some_and(|until| until > self.clock.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookups_remember_a_miss_for_a_minute() {
        let clock = Clock::default();
        let lookups = Lookups::new(clock.clone());
        let hash = vec![1, 2, 3];
        assert!(!lookups.is_miss(&hash));
        lookups.remember_miss(hash.clone());
        clock.advance(TimeDelta::seconds(58));
        assert!(lookups.is_miss(&hash));
        clock.advance(TimeDelta::seconds(3));
        assert!(!lookups.is_miss(&hash));
    }

    #[tokio::test]
    async fn lookups_run_four_at_a_time_with_a_timeout() {
        let lookups = Lookups::within(Duration::from_millis(20), Clock::default());
        let mut held = Vec::new();
        for _ in 0..MAX_CONCURRENT {
            held.push(lookups.permit().await.unwrap());
        }
        let refused = lookups.permit().await.map(drop).unwrap_err();
        assert_eq!(refused.code, crate::Code::DatabaseError);
        held.pop();
        assert!(lookups.permit().await.is_ok());
    }
}
