//! Number of files that a process receives at once (reference/media.md#files). Each takes disk space while it
//! arrives, and a slow client may take long.

use std::{sync::Arc, time::Duration};

use api_core::{ApiError, Code, Result, State};
use dashmap::DashMap;
use shared::id::AccountId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of files that one account sends to a process at once (reference/media.md#files).
const MAX_CONCURRENT_UPLOADS_PER_ACCOUNT: usize = 4;
/// Maximum number of files that a process receives at once (reference/media.md#files).
const MAX_CONCURRENT_UPLOADS: usize = 64;
/// Time that a request waits for a permit (reference/media.md#files).
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Permits of a process.
pub(crate) struct Permits {
    all: Arc<Semaphore>,
    by_account: DashMap<AccountId, Arc<Semaphore>>,
}

/// Permission to receive one file. Dropping it frees the place.
pub(crate) struct Permit {
    _account: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Permits {
    /// The permits of this process.
    pub fn of(state: &State) -> &Self {
        state.component(|_| Self {
            all: Arc::new(Semaphore::new(MAX_CONCURRENT_UPLOADS)),
            by_account: DashMap::new(),
        })
    }

    /// Waits for a permit. An account waits for its own first, so that its waiting requests take none of the
    /// others.
    ///
    /// # Errors
    /// 429 when none is free in time.
    pub async fn acquire(&self, account: AccountId) -> Result<Permit> {
        let own = self.own(account);
        let permits = tokio::time::timeout(PERMIT_TIMEOUT, async {
            let account = own.acquire_owned().await.map_err(closed)?;
            let all = Arc::clone(&self.all).acquire_owned().await.map_err(closed)?;
            Ok(Permit { _account: account, _all: all })
        });
        permits.await.unwrap_or_else(|_elapsed| {
            Err(ApiError::new(Code::RateLimitExceeded, "Too many uploads at a time").with_retry_after(1))
        })
    }

    fn own(&self, account: AccountId) -> Arc<Semaphore> {
        if self.by_account.len() > MAX_CONCURRENT_UPLOADS * 2 {
            // One that is neither held nor waited for has no other owner.
            self.by_account.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        let new = || Arc::new(Semaphore::new(MAX_CONCURRENT_UPLOADS_PER_ACCOUNT));
        Arc::clone(&self.by_account.entry(account).or_insert_with(new))
    }
}

fn closed(error: tokio::sync::AcquireError) -> ApiError {
    ApiError::internal(error)
}
