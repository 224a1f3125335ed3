//! Room of a process for deliveries.

use shared::{Error, Result};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout_at},
};

/// Maximum number of deliveries that a process reads or handles concurrently; others wait.
const MAX_CONCURRENT_DELIVERIES: usize = 50;

/// Room for the deliveries that are read or handled concurrently.
pub(super) struct Room(Semaphore);

impl Room {
    /// Returns empty room.
    pub fn new() -> Self {
        Self(Semaphore::new(MAX_CONCURRENT_DELIVERIES))
    }

    /// Waits for room to handle something; `None` when that takes too long.
    pub async fn enter(&self, until: Instant) -> Result<Option<SemaphorePermit<'_>>> {
        let Ok(room) = timeout_at(until, self.0.acquire()).await else { return Ok(None) };
        room.map(Some).map_err(|closed| Error::Internal(closed.to_string()))
    }
}
