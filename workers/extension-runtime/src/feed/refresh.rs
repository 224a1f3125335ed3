//! Refresh of the feed: all of it every minute and after every reconnect, one account when its change is
//! announced.

use std::{
    collections::HashSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, stream};
use tokio::sync::Notify;
use uuid::Uuid;

use super::{Feed, installs::Installs};
use crate::api_failure::ApiFailure;

/// Pause after a failed call to the API.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Maximum number of accounts that are read concurrently.
const MAX_CONCURRENT_READS: usize = 8;

/// Parts to read again. A change that is announced twice before it is read is read once.
#[derive(Default)]
pub struct Pending {
    accounts: Mutex<HashSet<Uuid>>,
    everything: Notify,
    some: Notify,
    /// Set when an account was read by itself: the last tag no longer stands for the known state.
    tag_outdated: AtomicBool,
}

impl Feed {
    /// Reads the whole feed for the first time, until it succeeds.
    pub async fn load(&self) {
        while let Err(error) = self.read_everything(None).await.map(drop) {
            if !error.is_logged() {
                tracing::warn!(%error, "the handler feed cannot be read yet");
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    /// Keeps the feed current; never returns.
    pub async fn run(&self) {
        futures::join!(self.listen(), self.poll(), self.read_accounts());
    }

    /// Marks everything to be read again soon.
    pub(super) fn everything_changed(&self) {
        self.shared.pending.everything.notify_one();
    }

    /// Marks an account to be read again immediately.
    pub(super) fn account_changed(&self, account_id: Uuid) {
        self.shared.pending.accounts.lock().unwrap_or_else(PoisonError::into_inner).insert(account_id);
        self.shared.pending.some.notify_one();
    }

    async fn poll(&self) {
        let mut etag = None;
        let mut pause = self.shared.poll_every;
        loop {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.shared.pending.everything.notified() => {}
            }
            if self.shared.pending.tag_outdated.swap(false, Ordering::Relaxed) {
                etag = None;
            }
            match self.read_everything(etag.as_deref()).await {
                Ok(newest) => (etag, pause) = (newest, self.shared.poll_every),
                Err(error) => {
                    if !error.is_logged() {
                        tracing::warn!(%error, "continuing with the last known handler feed");
                    }
                    pause = RETRY_DELAY;
                }
            }
        }
    }

    /// Reads every install; returns the tag of the known state.
    async fn read_everything(&self, etag: Option<&str>) -> Result<Option<String>, ApiFailure> {
        let asked = self.write(Installs::moment);
        let newest = match self.shared.api.snapshot(etag).await? {
            Some(snapshot) => {
                self.write(|installs| installs.take_all(snapshot.feed.installs, asked));
                snapshot.etag
            }
            None => etag.map(str::to_owned),
        };
        self.count();
        self.shared.metrics.feed_synced(self.shared.clock.now().timestamp());
        Ok(newest)
    }

    fn count(&self) {
        let (all, enabled) = self.read(|installs| (installs.len(), installs.enabled_len()));
        self.shared.metrics.feed_installs(all, enabled);
    }

    async fn read_accounts(&self) {
        loop {
            self.shared.pending.some.notified().await;
            let accounts = self.take_pending();
            stream::iter(accounts)
                .for_each_concurrent(MAX_CONCURRENT_READS, |account| self.read_account(account))
                .await;
        }
    }

    fn take_pending(&self) -> HashSet<Uuid> {
        std::mem::take(&mut *self.shared.pending.accounts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the installs of an account. When that fails, everything is read as soon as the API is back.
    async fn read_account(&self, account_id: Uuid) {
        let asked = self.write(Installs::moment);
        match self.shared.api.handlers_of(account_id).await {
            Ok(feed) => {
                let changed = self.write(|installs| installs.take(account_id, feed.installs, asked));
                self.count();
                self.shared.pending.tag_outdated.fetch_or(changed, Ordering::Relaxed);
                tracing::debug!(%account_id, changed, "read the installs of an account");
            }
            Err(error) => {
                if !error.is_logged() {
                    tracing::warn!(%account_id, %error, "the installs of an account cannot be read yet");
                }
                self.everything_changed();
            }
        }
    }
}
