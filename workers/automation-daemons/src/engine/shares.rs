//! Shares of the accounts' concurrent statements: the runs of a busy account wait for each other and not the
//! runs of others for them (reference/automations.md#execution).

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

/// Maximum number of concurrent statements of one account in a copy.
const MAX_CONCURRENT_STATEMENTS: usize = 2;
/// Maximum number of accounts with a remembered share.
const MAX_ACCOUNTS: u64 = 10_000;
/// Time after which the share of an account without statements is dropped.
const IDLE_TTL: Duration = Duration::from_secs(60);

/// Shares of all accounts.
pub(super) struct Shares {
    accounts: Cache<Uuid, Arc<Semaphore>>,
}

impl Shares {
    /// Shares without statements.
    pub fn new() -> Self {
        Self { accounts: Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_idle(IDLE_TTL).build() }
    }

    /// Waits for a permit for a statement of the account, released on drop.
    pub async fn enter(&self, account: Uuid) -> Option<OwnedSemaphorePermit> {
        let share = self.accounts.get_with(account, || Arc::new(Semaphore::new(MAX_CONCURRENT_STATEMENTS)));
        // The semaphore is never closed.
        share.acquire_owned().await.ok()
    }
}
