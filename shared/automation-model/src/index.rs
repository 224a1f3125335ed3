//! Index of the chat lines and events that enabled automations wait for (reference/automations.md#triggers).
//! Processes that handle every line of chat ask it first, so that an account without automations costs one
//! look-up in memory.
//!
//! An entry is read at its first use and dropped when [`changed`] is announced. While announcements may be
//! missed nothing is kept, and every question reads the database.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use diesel_async::AsyncPgConnection;
use foundation::{
    db::Database,
    invalidation::{Invalidation, Listener},
};
use moka::sync::Cache;
use shared::Result;
use uuid::Uuid;

use crate::starts::{Awaited, awaited};

/// Maximum memory of all entries, in bytes; those of the least used accounts are dropped first.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Maximum age of an entry. Announcements drop it before.
const ENTRY_TTL: Duration = Duration::from_secs(300);

/// Returns the change to announce after the commit that created, enabled, disabled, saved or deleted an
/// automation: `cx.changed(index::changed(account)).await` in the API, else
/// [`foundation::invalidation::announce`].
#[must_use]
pub const fn changed(account_id: Uuid) -> Invalidation {
    Invalidation::Automations { account_id }
}

/// Index of a process.
pub struct StartIndex {
    entries: Cache<Uuid, Arc<Awaited>>,
    is_listening: AtomicBool,
    /// Number of changes: a read that began before one is not kept.
    changes: AtomicU64,
}

impl Default for StartIndex {
    fn default() -> Self {
        let entries = Cache::builder()
            .weigher(|_, awaited: &Arc<Awaited>| u32::try_from(awaited.size_bytes()).unwrap_or(u32::MAX))
            .max_capacity(MAX_BYTES)
            .time_to_live(ENTRY_TTL)
            .build();
        Self { entries, is_listening: AtomicBool::new(false), changes: AtomicU64::new(0) }
    }
}

impl StartIndex {
    /// Returns what the automations of an account wait for.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn of(&self, database: &Database, account_id: Uuid) -> Result<Arc<Awaited>> {
        if let Some(known) = self.entries.get(&account_id) {
            return Ok(known);
        }
        let before = self.changes.load(Ordering::SeqCst);
        let read = Arc::new(read(&mut *database.get().await?, account_id).await?);
        if self.is_listening.load(Ordering::SeqCst) {
            self.entries.insert(account_id, Arc::clone(&read));
            if self.changes.load(Ordering::SeqCst) != before {
                self.entries.invalidate(&account_id);
            }
        }
        Ok(read)
    }
}

impl Listener for StartIndex {
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
        let (Invalidation::Automations { account_id } | Invalidation::AccountEnded { account_id }) = what
        else {
            return;
        };
        // First, so that a read that began before the change does not put its result back.
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.entries.invalidate(account_id);
    }
}

/// Reads what the automations of an account wait for, without an index: for processes that handle few events.
///
/// # Errors
/// A failure of the database.
pub async fn read(connection: &mut AsyncPgConnection, account_id: Uuid) -> Result<Awaited> {
    awaited(connection, account_id).await
}
