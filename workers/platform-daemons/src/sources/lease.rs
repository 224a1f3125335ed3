//! Lease on the reading of a channel: a key in Redis that its holder renews and that expires when it dies
//! (reference/ingest.md#reader-leases).

use std::time::Duration;

use foundation::{lease::Lease, redis::Redis};
use shared::{Result, platform::Platform};
use tokio::time::Instant;
use uuid::Uuid;

/// Lifetime of a lease without renewal. Three renewals may fail.
const LEASE_TTL: Duration = Duration::from_secs(7);
/// Lifetime of a wake key that no reader takes.
const WAKE_TTL: Duration = Duration::from_secs(600);

/// Right to read a channel.
pub(super) struct ReaderLease {
    lease: Lease,
    wake: String,
}

/// State of a lease after an attempt to take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaseState {
    /// Held by this copy.
    Held {
        /// True when a wake key was set: there may be something new.
        is_woken: bool,
    },
    /// Held by another copy.
    HeldByAnother,
}

impl ReaderLease {
    /// Returns the lease of a channel for the given copy. It is not taken yet.
    pub fn new(redis: &Redis, platform: Platform, channel_id: &str, copy: Uuid) -> Self {
        let key = redis.key(format_args!("reader:{platform}:{channel_id}"));
        Self { lease: Lease::new(redis, key, &copy, LEASE_TTL), wake: wake_key(redis, platform, channel_id) }
    }

    /// Takes the lease, or renews it.
    ///
    /// # Errors
    /// `Redis` when Redis cannot be reached.
    pub async fn acquire(&mut self) -> Result<LeaseState> {
        Ok(match self.lease.extend_and_receive(&self.wake).await? {
            None => LeaseState::HeldByAnother,
            Some(is_woken) => LeaseState::Held { is_woken },
        })
    }

    /// Returns the time before which the lease cannot expire.
    pub fn expires_at(&self) -> Instant {
        self.lease.expires_at()
    }

    /// Releases the lease, so that another copy need not wait.
    pub async fn release(&self) {
        self.lease.release().await;
    }
}

/// Wakes the present or next reader of a channel: there may be something new.
///
/// # Errors
/// `Redis` when Redis cannot be reached.
pub(crate) async fn wake(redis: &Redis, platform: Platform, channel_id: &str) -> Result<()> {
    redis::cmd("SET")
        .arg(wake_key(redis, platform, channel_id))
        .arg(1)
        .arg("EX")
        .arg(WAKE_TTL.as_secs())
        .query_async::<()>(&mut *redis.get().await?)
        .await?;
    Ok(())
}

fn wake_key(redis: &Redis, platform: Platform, channel_id: &str) -> String {
    redis.key(format_args!("reader:nudge:{platform}:{channel_id}"))
}
