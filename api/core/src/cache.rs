//! Caches of rights of a process. An entry lives at most five minutes, and never longer than the announcement
//! of a change takes to arrive (reference/permissions.md#caches).

use std::{
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use foundation::invalidation::{Invalidation, Listener};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::{
    Result,
    access::{AccountFeatures, AccountScopes, Credential, MemberAccess, SessionRecord, UserAccess},
};

/// Longest time for which an entry is used.
pub const MAX_ENTRY_AGE: Duration = Duration::from_secs(300);
const MAX_ENTRIES: u64 = 100_000;
/// Changes that a listener may lag behind before it receives [`Change::Everything`] instead.
const CHANGES_CAPACITY: usize = 1024;

/// Every cache of a process.
pub struct Caches {
    /// Permissions by account and person; `None` for a non-member.
    pub members: Cache<(Uuid, Uuid), Option<Arc<MemberAccess>>>,
    /// Permissions that an account's overrides deny, by account.
    pub denials: Cache<Uuid, AccountScopes>,
    /// Admin-scope and user-scope permissions by person.
    pub users: Cache<Uuid, Arc<UserAccess>>,
    /// Features by account.
    pub features: Cache<Uuid, Arc<AccountFeatures>>,
    /// Flags without an account.
    pub global_features: Cache<(), Arc<AccountFeatures>>,
    /// Opaque credentials by the hash of their text. Credentials behind a signed token, by the bytes of their
    /// id.
    pub credentials: Cache<Vec<u8>, Option<Arc<Credential>>>,
    /// Sessions by id.
    pub sessions: Cache<Uuid, Option<Arc<SessionRecord>>>,
    gate: Arc<Gate>,
    /// Number of the changes of which channels the public statistics show.
    public_stats: AtomicU64,
    changes: broadcast::Sender<Change>,
}

/// Dropped entries, for listeners that decided something by them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Entries of one change.
    One(Invalidation),
    /// Changes may have been missed: no earlier decision is certain.
    Everything,
}

/// State of caching: allowed now or not, and the number of invalidations.
#[derive(Default)]
struct Gate {
    listening: AtomicBool,
    generation: AtomicU64,
}

/// One cache.
pub struct Cache<K, V> {
    entries: moka::sync::Cache<K, V>,
    gate: Arc<Gate>,
}

impl Default for Caches {
    fn default() -> Self {
        let gate = Arc::new(Gate::default());
        Self {
            members: Cache::new(&gate),
            denials: Cache::new(&gate),
            users: Cache::new(&gate),
            features: Cache::new(&gate),
            global_features: Cache::new(&gate),
            credentials: Cache::new(&gate),
            sessions: Cache::new(&gate),
            gate,
            public_stats: AtomicU64::default(),
            changes: broadcast::Sender::new(CHANGES_CAPACITY),
        }
    }
}

impl Caches {
    /// Drops the entries that a change concerns.
    pub fn invalidate(&self, what: &Invalidation) {
        // First, so that a load that began before the change does not put its result back.
        self.gate.generation.fetch_add(1, Ordering::SeqCst);
        match what {
            Invalidation::Member { account_id, user_id } => {
                self.members.entries.invalidate(&(*account_id, *user_id))
            }
            Invalidation::Account { account_id } => {
                self.members.forget_where(|(account, _), _| account == account_id);
                self.denials.entries.invalidate(account_id);
            }
            Invalidation::MembershipEnded { account_id, user_id } => {
                self.members.entries.invalidate(&(*account_id, *user_id));
                self.forget_credentials(|credential| {
                    credential.is_in(*account_id) && credential.is_of(*user_id)
                });
            }
            Invalidation::AccountEnded { account_id } => {
                self.members.forget_where(|(account, _), _| account == account_id);
                self.denials.entries.invalidate(account_id);
                self.features.entries.invalidate(account_id);
                self.forget_credentials(|credential| credential.is_in(*account_id));
            }
            // No entry holds anything of an install, a limit of a developer, an automation or a webhook.
            Invalidation::InstallRemoved { .. }
            | Invalidation::Limits
            | Invalidation::Automations { .. }
            | Invalidation::Webhooks { .. } => {}
            Invalidation::PublicStats => {
                self.public_stats.fetch_add(1, Ordering::SeqCst);
            }
            Invalidation::Features { account_id } => self.features.entries.invalidate(account_id),
            Invalidation::AllFeatures => {
                self.features.entries.invalidate_all();
                self.global_features.entries.invalidate_all();
            }
            Invalidation::PlanFeatures { plan_id } => {
                self.features.forget_where(|_, features| features.plan() == Some(*plan_id));
            }
            Invalidation::User { user_id } => self.users.entries.invalidate(user_id),
            Invalidation::AllUsers => self.users.entries.invalidate_all(),
            Invalidation::Credential { id } => {
                self.forget_credentials(|credential| credential.id == *id);
            }
            Invalidation::Session { id } => self.sessions.entries.invalidate(id),
        }
        self.notify(Change::One(what.clone()));
    }

    /// Number of the changes of which channels the public statistics show: an answer that was made under
    /// another number is outdated. `None` while changes may be missed.
    #[must_use]
    pub fn public_stats_epoch(&self) -> Option<u64> {
        let epoch = self.public_stats.load(Ordering::SeqCst);
        self.gate.listening.load(Ordering::SeqCst).then_some(epoch)
    }

    fn forget_credentials(&self, concerned: impl Fn(&Credential) -> bool) {
        self.credentials.forget_where(|_, found| found.as_ref().is_some_and(|found| concerned(found)));
    }

    /// Receiver of further changes. Each is sent after its entries were dropped.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    fn notify(&self, change: Change) {
        // An error means that there is no listener, as in a process without sockets.
        drop(self.changes.send(change));
    }

    /// Starts caching with no entries: announcements arrive from now on.
    pub fn open(&self) {
        self.clear();
        self.gate.listening.store(true, Ordering::SeqCst);
        self.notify(Change::Everything);
    }

    /// Drops every entry and stops caching: announcements may be missed from now on.
    pub fn close(&self) {
        self.gate.listening.store(false, Ordering::SeqCst);
        self.clear();
    }

    fn clear(&self) {
        self.gate.generation.fetch_add(1, Ordering::SeqCst);
        self.public_stats.fetch_add(1, Ordering::SeqCst);
        self.members.entries.invalidate_all();
        self.denials.entries.invalidate_all();
        self.users.entries.invalidate_all();
        self.features.entries.invalidate_all();
        self.global_features.entries.invalidate_all();
        self.credentials.entries.invalidate_all();
        self.sessions.entries.invalidate_all();
    }
}

impl Listener for Caches {
    fn open(&self) {
        Self::open(self);
    }

    fn close(&self) {
        Self::close(self);
    }

    fn forget(&self, what: &Invalidation) {
        self.invalidate(what);
    }
}

impl<K: Hash + Eq + Clone + Send + Sync + 'static, V: Clone + Send + Sync + 'static> Cache<K, V> {
    fn new(gate: &Arc<Gate>) -> Self {
        let entries =
            moka::sync::Cache::builder().max_capacity(MAX_ENTRIES).time_to_live(MAX_ENTRY_AGE).build();
        Self { entries, gate: Arc::clone(gate) }
    }

    /// Returns the cached value, or loads it.
    ///
    /// # Errors
    /// Errors of `load`; they are not cached.
    pub async fn get_or_load<F>(&self, key: K, load: impl FnOnce() -> F + Send) -> Result<V>
    where
        F: Future<Output = Result<V>> + Send,
    {
        match self.entries.get(&key) {
            Some(value) => Ok(value),
            // Boxed, so that reads of what is cached pay nothing for the size of the future.
            None => Box::pin(self.load(key, load(), |_| true)).await,
        }
    }

    async fn load<F>(&self, key: K, load: F, is_remembered: impl Fn(&V) -> bool + Send) -> Result<V>
    where
        F: Future<Output = Result<V>> + Send,
    {
        let generation = self.gate.generation.load(Ordering::SeqCst);
        let value = load.await?;
        if is_remembered(&value) && self.gate.listening.load(Ordering::SeqCst) {
            self.entries.insert(key.clone(), value.clone());
            if self.gate.generation.load(Ordering::SeqCst) != generation {
                self.entries.invalidate(&key);
            }
        }
        Ok(value)
    }

    /// True when a value, or its absence, is cached.
    pub fn knows(&self, key: &K) -> bool {
        self.entries.contains_key(key)
    }

    /// Drops the entries of a change. It walks them rather than registering a predicate, because a predicate
    /// takes effect some time later.
    fn forget_where(&self, concerned: impl Fn(&K, &V) -> bool) {
        for (key, value) in self.entries.iter() {
            if concerned(&key, &value) {
                self.entries.invalidate(&*key);
            }
        }
    }
}

impl<K: Hash + Eq + Clone + Send + Sync + 'static, V: Clone + Send + Sync + 'static> Cache<K, Option<V>> {
    /// Returns the cached value, or finds it. An absent value is not cached.
    ///
    /// # Errors
    /// Errors of `find`; they are not cached.
    pub async fn get_or_find<F>(&self, key: K, find: impl FnOnce(K) -> F + Send) -> Result<Option<V>>
    where
        F: Future<Output = Result<Option<V>>> + Send,
    {
        match self.entries.get(&key) {
            Some(value) => Ok(value),
            // Boxed, as in `get_or_load`.
            None => Box::pin(self.load(key.clone(), find(key), Option::is_some)).await,
        }
    }
}
