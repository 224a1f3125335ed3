//! How many effects of one account are under way at once: actions of its handlers, replies of its commands.
//!
//! What the API and the stores can do is everybody's. Of an account whose chat storms, the effects would be most of what
//! they have in hand, and everybody else's would wait behind all of these. So an account's go a few at a time and wait
//! here for each other.

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use uuid::Uuid;

/// Effects of one account that go to the API at once.
const MAX_CONCURRENT: usize = 2;
/// What has waited for so long goes beside the others: they may wait for a platform that does not answer.
const MAX_QUEUE_DELAY: Duration = Duration::from_millis(250);
/// Of an account that is forgotten meanwhile a few more may go at once.
const MAX_ACCOUNTS: u64 = 10_000;
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);

/// Every account's share. Cheap to clone.
#[derive(Clone)]
pub struct Shares {
    accounts: Cache<Uuid, Arc<Semaphore>>,
    patience: Duration,
}

impl Shares {
    pub fn new() -> Self {
        Self::with_patience(MAX_QUEUE_DELAY)
    }

    pub(super) fn with_patience(patience: Duration) -> Self {
        let accounts = Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_idle(FORGOTTEN_AFTER).build();
        Self { accounts, patience }
    }

    /// Waits for a place among the effects of the account, which is given back on drop; `None` when that took too long
    /// and this one is to go without.
    pub async fn place(&self, account_id: Uuid) -> Option<OwnedSemaphorePermit> {
        let share = self.accounts.get_with(account_id, || Arc::new(Semaphore::new(MAX_CONCURRENT)));
        timeout(self.patience, share.acquire_owned()).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const STORMY: Uuid = Uuid::from_u128(1);
    const QUIET: Uuid = Uuid::from_u128(2);

    #[tokio::test]
    async fn an_account_that_storms_waits_for_itself_and_nobody_for_it() {
        let shares = Shares::new();
        let first = shares.place(STORMY).await.unwrap();
        let _second = shares.place(STORMY).await.unwrap();
        let mut third = Box::pin(shares.place(STORMY));
        assert!((&mut third).now_or_never().is_none());
        assert!(shares.place(QUIET).now_or_never().unwrap().is_some());
        drop(first);
        assert!(third.now_or_never().unwrap().is_some());
    }

    #[tokio::test]
    async fn what_waits_too_long_goes_without_a_place() {
        let shares = Shares::with_patience(Duration::from_millis(20));
        let [first, second] = [shares.place(STORMY).await, shares.place(STORMY).await];
        assert!(shares.place(STORMY).await.is_none());
        drop((first, second));
        assert!(shares.place(STORMY).await.is_some());
    }
}
