//! Index of the event types that endpoints receive (reference/webhooks.md#sources). Processes that store events
//! and chat messages read it first, so that an account without endpoints costs one look-up in memory.
//!
//! An entry is read at its first use and dropped when [`changed`] is announced. While announcements may be
//! missed nothing is kept, and every question reads the database.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use foundation::{
    db::Database,
    invalidation::{Invalidation, Listener},
};
use moka::sync::Cache;
use shared::Result;
use uuid::Uuid;

use crate::{
    chosen::{Chosen, read},
    queue::Occurrence,
};

/// Maximum memory of all entries, in bytes; those of the least used accounts are dropped first.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Maximum age of an entry. Announcements drop it before.
const ENTRY_TTL: Duration = Duration::from_secs(300);

/// Returns the change to announce after the commit that created, changed, disabled or deleted an endpoint:
/// `cx.changed(index::changed(account)).await` in the API, else [`foundation::invalidation::announce`].
#[must_use]
pub const fn changed(account_id: Uuid) -> Invalidation {
    Invalidation::Webhooks { account_id }
}

/// Index of a process.
pub struct EndpointIndex {
    entries: Cache<Uuid, Arc<Chosen>>,
    is_listening: AtomicBool,
    /// Number of changes: a read that began before one is not kept.
    changes: AtomicU64,
}

impl Default for EndpointIndex {
    fn default() -> Self {
        let entries = Cache::builder()
            .weigher(|_, chosen: &Arc<Chosen>| u32::try_from(chosen.size_bytes()).unwrap_or(u32::MAX))
            .max_capacity(MAX_BYTES)
            .time_to_live(ENTRY_TTL)
            .build();
        Self { entries, is_listening: AtomicBool::new(false), changes: AtomicU64::new(0) }
    }
}

impl EndpointIndex {
    /// Returns the occurrences that an endpoint may receive.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn received<'a>(
        &self,
        database: &Database,
        occurrences: impl IntoIterator<Item = Occurrence<'a>>,
    ) -> Result<Vec<Occurrence<'a>>> {
        let occurrences: Vec<_> = occurrences.into_iter().collect();
        let accounts: HashSet<Uuid> = occurrences.iter().map(|occurrence| occurrence.account_id).collect();
        if accounts.is_empty() {
            return Ok(Vec::new());
        }
        let chosen = self.of_each(database, accounts).await?;
        let is_received = |occurrence: &Occurrence<'a>| {
            let of_account = chosen.get(&occurrence.account_id);
            of_account.is_some_and(|chosen| chosen.contains(occurrence.event_type))
        };
        Ok(occurrences.into_iter().filter(is_received).collect())
    }

    /// Returns what the endpoints of each account receive; unknown accounts are read in one statement.
    async fn of_each(
        &self,
        database: &Database,
        accounts: HashSet<Uuid>,
    ) -> Result<HashMap<Uuid, Arc<Chosen>>> {
        let (mut known, mut unknown) = (HashMap::with_capacity(accounts.len()), Vec::new());
        for account in accounts {
            match self.entries.get(&account) {
                Some(chosen) => {
                    known.insert(account, chosen);
                }
                None => unknown.push(account),
            }
        }
        if unknown.is_empty() {
            return Ok(known);
        }
        let before = self.changes.load(Ordering::SeqCst);
        let read = read(&mut *database.get().await?, &unknown).await?;
        if self.is_listening.load(Ordering::SeqCst) {
            for (account, chosen) in &read {
                self.entries.insert(*account, Arc::clone(chosen));
            }
            if self.changes.load(Ordering::SeqCst) != before {
                unknown.iter().for_each(|account| self.entries.invalidate(account));
            }
        }
        known.extend(read);
        Ok(known)
    }
}

impl Listener for EndpointIndex {
    fn open(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.entries.invalidate_all();
        self.is_listening.store(true, Ordering::SeqCst);
    }

    fn close(&self) {
        self.is_listening.store(false, Ordering::SeqCst);
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.entries.invalidate_all();
    }

    fn forget(&self, what: &Invalidation) {
        let (Invalidation::Webhooks { account_id }
        | Invalidation::MembershipEnded { account_id, .. }
        | Invalidation::AccountEnded { account_id }) = what
        else {
            return;
        };
        // First, so that a read that began before the change does not put its result back.
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.entries.invalidate(account_id);
    }
}
