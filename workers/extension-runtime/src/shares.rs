//! Shares of the accounts' concurrent effects: actions of handlers, replies of commands.
//!
//! The API and the stores serve all accounts. The effects of an account with a busy chat would be most of
//! their work, and all others would wait behind them. So a few of an account run concurrently, and its others
//! wait here.

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use uuid::Uuid;

/// Maximum number of concurrent effects of one account.
const MAX_CONCURRENT_EFFECTS: usize = 2;
/// Wait after which an effect runs beside the others: these may wait for a platform that does not answer.
const MAX_QUEUE_DELAY: Duration = Duration::from_millis(250);
/// The same wait while the API cannot serve all effects.
const MAX_QUEUE_DELAY_UNDER_LOAD: Duration = Duration::from_secs(5);
/// Maximum number of accounts with a remembered share. Of an account that is dropped meanwhile a few more
/// effects may run concurrently.
const MAX_ACCOUNTS: u64 = 10_000;
/// Time after which an account's share without use is dropped.
const IDLE_TTL: Duration = Duration::from_secs(60);

/// Shares of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct Shares {
    accounts: Cache<Uuid, Arc<Semaphore>>,
    wait_timeout: Duration,
}

impl Shares {
    /// Returns shares without effects in progress.
    pub fn new() -> Self {
        Self::with_wait_timeout(MAX_QUEUE_DELAY)
    }

    pub(super) fn with_wait_timeout(wait_timeout: Duration) -> Self {
        let accounts = Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_idle(IDLE_TTL).build();
        Self { accounts, wait_timeout }
    }

    /// Waits for a permit for an effect of the account, released on drop; `None` when that took too long and
    /// the effect runs without one.
    pub async fn place(&self, account_id: Uuid, is_under_load: bool) -> Option<OwnedSemaphorePermit> {
        let share = self.accounts.get_with(account_id, || Arc::new(Semaphore::new(MAX_CONCURRENT_EFFECTS)));
        let wait_timeout = if is_under_load { MAX_QUEUE_DELAY_UNDER_LOAD } else { self.wait_timeout };
        timeout(wait_timeout, share.acquire_owned()).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const STORMY: Uuid = Uuid::from_u128(1);
    const QUIET: Uuid = Uuid::from_u128(2);

    #[tokio::test]
    async fn shares_of_a_busy_account_delay_no_other() {
        let shares = Shares::new();
        let first = shares.place(STORMY, false).await.unwrap();
        let _second = shares.place(STORMY, false).await.unwrap();
        let mut third = Box::pin(shares.place(STORMY, false));
        assert!((&mut third).now_or_never().is_none());
        assert!(shares.place(QUIET, false).now_or_never().unwrap().is_some());
        drop(first);
        assert!(third.now_or_never().unwrap().is_some());
    }

    #[tokio::test]
    async fn shares_have_a_longer_wait_timeout_under_load() {
        let shares = Shares::with_wait_timeout(Duration::ZERO);
        let _full = [shares.place(STORMY, false).await, shares.place(STORMY, false).await];
        assert!(shares.place(STORMY, false).await.is_none());
        assert!(shares.place(STORMY, true).now_or_never().is_none(), "it waits");
    }

    #[tokio::test]
    async fn shares_have_a_wait_timeout() {
        let shares = Shares::with_wait_timeout(Duration::from_millis(20));
        let [first, second] = [shares.place(STORMY, false).await, shares.place(STORMY, false).await];
        assert!(shares.place(STORMY, false).await.is_none());
        drop((first, second));
        assert!(shares.place(STORMY, false).await.is_some());
    }
}
