//! Cache of the accounts' commands: read on first use, again after a change, and at least once a minute.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use moka::{future, sync};
use uuid::Uuid;

use super::Commands;
use crate::{api::Api, api_failure::ApiFailure};

/// Maximum memory of all compiled commands, in bytes; those of the least used accounts are dropped first.
const MAX_BYTES: u64 = 128 * 1024 * 1024;
/// Time after which commands without use are dropped.
const CACHE_TTL: Duration = Duration::from_secs(3600);
/// Time for which the last known commands are used after a failed call, before the API is called again.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Time for which a read is shared by concurrent requests.
const SHARED_READ_TTL: Duration = Duration::from_secs(1);
/// Maximum number of accounts with recorded changes.
const MAX_ACCOUNTS: u64 = 100_000;

/// Commands of this process. Cheap to clone.
#[derive(Clone)]
pub struct CommandCache {
    shared: Arc<Shared>,
}

struct Shared {
    api: Api,
    /// Time for which commands are used without an announced change.
    fresh_for: Duration,
    known: sync::Cache<Uuid, Known>,
    /// Merges concurrent reads into one.
    reads: future::Cache<(Uuid, u64), Arc<Commands>>,
    resting: sync::Cache<Uuid, ()>,
    /// Number of announcements: a read under an earlier number may be outdated.
    now: AtomicU64,
    /// Number of the last change for all accounts.
    all_changed: AtomicU64,
    /// Number of the last change for an account.
    changed: sync::Cache<Uuid, u64>,
}

#[derive(Clone)]
struct Known {
    commands: Arc<Commands>,
    etag: Option<String>,
    asked: u64,
    read_at: Instant,
}

impl CommandCache {
    /// Returns an empty cache.
    pub fn new(api: Api, fresh_for: Duration) -> Self {
        let shared = Shared {
            api,
            fresh_for,
            known: sync::Cache::builder()
                .weigher(|_, known: &Known| u32::try_from(known.commands.size_bytes()).unwrap_or(u32::MAX))
                .max_capacity(MAX_BYTES)
                .time_to_idle(CACHE_TTL)
                .build(),
            reads: future::Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_live(SHARED_READ_TTL).build(),
            resting: sync::Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_live(RETRY_DELAY).build(),
            now: AtomicU64::new(1),
            all_changed: AtomicU64::new(0),
            // Longer than commands are cached: a change must not be forgotten before them.
            changed: sync::Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_live(2 * CACHE_TTL).build(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Marks the commands of an account to be read again before their next use.
    pub fn account_changed(&self, account_id: Uuid) {
        let now = self.shared.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.shared.changed.insert(account_id, now);
    }

    /// Marks the commands of every account.
    pub fn everything_changed(&self) {
        let now = self.shared.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.shared.all_changed.fetch_max(now, Ordering::SeqCst);
    }

    /// Returns the commands of an account; the last known ones while the API is away.
    ///
    /// # Errors
    /// The failure of the call when none are known yet.
    pub async fn get(&self, account_id: Uuid) -> Result<Arc<Commands>, Arc<ApiFailure>> {
        let known = self.shared.known.get(&account_id);
        if let Some(known) = &known
            && (self.is_fresh(account_id, known) || self.shared.resting.contains_key(&account_id))
        {
            return Ok(known.commands.clone());
        }
        let asked = self.shared.now.load(Ordering::SeqCst);
        let read = self.read(account_id, asked, known.clone());
        match (self.shared.reads.try_get_with((account_id, asked), read).await, known) {
            (Err(error), Some(known)) => {
                tracing::debug!(%account_id, %error, "continuing with the last known commands");
                self.shared.resting.insert(account_id, ());
                Ok(known.commands)
            }
            (read, _) => read,
        }
    }

    fn is_fresh(&self, account_id: Uuid, known: &Known) -> bool {
        known.read_at.elapsed() < self.shared.fresh_for
            && known.asked >= self.shared.all_changed.load(Ordering::SeqCst)
            && self.shared.changed.get(&account_id).is_none_or(|changed| known.asked >= changed)
    }

    async fn read(
        &self,
        account_id: Uuid,
        asked: u64,
        known: Option<Known>,
    ) -> Result<Arc<Commands>, ApiFailure> {
        let etag = known.as_ref().and_then(|known| known.etag.as_deref());
        let (commands, etag) = match (self.shared.api.commands_of(account_id, etag).await?, known) {
            (Some((feed, etag)), _) => (Arc::new(Commands::compile(feed)), etag),
            (None, Some(known)) => (known.commands, known.etag),
            (None, None) => return Err(ApiFailure::Away("304 to a question without a tag".to_owned())),
        };
        let known = Known { commands: commands.clone(), etag, asked, read_at: Instant::now() };
        self.shared.known.insert(account_id, known);
        Ok(commands)
    }
}
