//! Feed of installs in memory, kept current by announcements and by polling; the last known state is used
//! while Redis or the API is away (reference/handlers.md#feeds).

mod announcements;
mod installs;
mod refresh;
mod triggers;

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use extension_model::limits::LimitCache;
use foundation::redis::Redis;
use shared::clock::Clock;
use uuid::Uuid;

use super::{
    api::Api,
    api_failure::ApiFailure,
    commands::{CommandCache, Commands},
    metrics::RuntimeMetrics,
    triggers::Triggers,
};
pub use installs::Install;
use installs::Installs;
use triggers::TriggerCache;

/// Feed of this process. Cheap to clone.
#[derive(Clone)]
pub struct Feed {
    shared: Arc<Shared>,
}

struct Shared {
    api: Api,
    redis: Redis,
    clock: Clock,
    metrics: RuntimeMetrics,
    installs: RwLock<Installs>,
    triggers: TriggerCache,
    commands: CommandCache,
    limits: LimitCache,
    pending: refresh::Pending,
    poll_every: Duration,
}

impl Feed {
    /// Returns an empty feed; [`Feed::load`] fills it and [`Feed::run`] keeps it current.
    ///
    /// Everything is read again every `poll_every`, also without an announced change.
    /// `limits` is read again when a change of it is announced.
    pub fn new(
        api: Api,
        redis: Redis,
        clock: Clock,
        metrics: RuntimeMetrics,
        limits: LimitCache,
        poll_every: Duration,
    ) -> Self {
        let triggers = TriggerCache::new(api.clone());
        let commands = CommandCache::new(api.clone(), poll_every);
        let shared = Shared {
            api,
            redis,
            clock,
            metrics,
            installs: RwLock::default(),
            triggers,
            commands,
            limits,
            pending: refresh::Pending::default(),
            poll_every,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Returns an install that is switched on.
    pub fn install(&self, account_id: Uuid, install_id: Uuid) -> Option<Arc<Install>> {
        self.read(|installs| installs.enabled(account_id, install_id))
    }

    /// Returns the compiled triggers of an account; none for an account without installs.
    ///
    /// # Errors
    /// The failure of the call when none are known yet.
    pub async fn triggers(&self, account_id: Uuid) -> Result<Arc<Triggers>, Arc<ApiFailure>> {
        match self.read(|installs| installs.generation(account_id)) {
            Some(generation) => self.shared.triggers.get(account_id, generation).await,
            None => Ok(Arc::default()),
        }
    }

    /// Returns the chat commands of an account.
    ///
    /// # Errors
    /// The failure of the call when none are known yet.
    pub async fn commands(&self, account_id: Uuid) -> Result<Arc<Commands>, Arc<ApiFailure>> {
        self.shared.commands.get(account_id).await
    }

    /// Returns accounts with timers.
    pub fn accounts_with_timers(&self) -> Vec<Uuid> {
        self.read(Installs::accounts_with_timers)
    }

    fn read<T>(&self, select: impl FnOnce(&Installs) -> T) -> T {
        select(&self.shared.installs.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, change: impl FnOnce(&mut Installs) -> T) -> T {
        change(&mut self.shared.installs.write().unwrap_or_else(PoisonError::into_inner))
    }
}
