//! Overrides in the memory of a process, so that no invocation reads the database for its limits
//! (reference/developer-limits.md#caches).

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use foundation::db::Database;
use shared::Result;
use tokio::sync::Notify;
use uuid::Uuid;

use super::{ResolvedLimits, queries};

/// Pause after a failed reading.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Limits of every extension that has an override. Cheap to clone.
#[derive(Clone)]
pub struct LimitCache {
    shared: Arc<Shared>,
}

struct Shared {
    database: Database,
    limits: RwLock<HashMap<Uuid, Arc<ResolvedLimits>>>,
    changed: Notify,
    poll_every: Duration,
}

impl LimitCache {
    /// Returns an empty cache; [`LimitCache::load`] fills it and [`LimitCache::run`] keeps it current. All is
    /// read again every `poll_every`, also without an announced change.
    #[must_use]
    pub fn new(database: Database, poll_every: Duration) -> Self {
        let shared = Shared { database, limits: RwLock::default(), changed: Notify::new(), poll_every };
        Self { shared: Arc::new(shared) }
    }

    /// Returns the limits of an extension, as last read.
    #[must_use]
    pub fn of(&self, extension_id: Uuid) -> Arc<ResolvedLimits> {
        let limits = self.shared.limits.read().unwrap_or_else(PoisonError::into_inner);
        limits.get(&extension_id).cloned().unwrap_or_default()
    }

    /// Marks the overrides to be read again immediately.
    pub fn changed(&self) {
        self.shared.changed.notify_one();
    }

    /// Reads the overrides for the first time, until it succeeds.
    pub async fn load(&self) {
        while let Err(error) = self.read().await {
            tracing::warn!(%error, "the limits of extensions cannot be read yet");
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    /// Keeps the cache current; never returns. The last known limits apply while the database is away.
    pub async fn run(&self) {
        let mut pause = self.shared.poll_every;
        loop {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.shared.changed.notified() => {}
            }
            pause = match self.read().await {
                Ok(()) => self.shared.poll_every,
                Err(error) => {
                    tracing::warn!(%error, "continuing with the last known limits of extensions");
                    RETRY_DELAY
                }
            };
        }
    }

    async fn read(&self) -> Result<()> {
        let rows = queries::for_all_extensions(&mut *self.shared.database.get().await?).await?;
        let limits = rows.into_iter().map(|(extension, limits)| (extension, Arc::new(limits))).collect();
        *self.shared.limits.write().unwrap_or_else(PoisonError::into_inner) = limits;
        Ok(())
    }
}
