//! What is installed where: the handler feed in memory, kept current by announcements and by polling, and the last
//! known state of it while Redis or the API is away (specification B §4.4; C B8, B17).

mod announcements;
mod installs;
mod refresh;
mod triggers;

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use shared::{clock::Clock, redis::Redis};
use uuid::Uuid;

use super::{
    api::{Api, ApiFailure},
    commands::{CommandCache, Commands},
    metrics::RuntimeMetrics,
    triggers::Triggers,
};
pub use installs::Install;
use installs::Installs;
use triggers::TriggerCache;

/// The feed of this process. Cheap to clone.
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
    pending: refresh::Pending,
    poll_every: Duration,
}

impl Feed {
    /// An empty feed; [`Feed::load`] fills it and [`Feed::run`] keeps it current.
    ///
    /// Everything is read again every `poll_every`, though no change was announced.
    pub fn new(api: Api, redis: Redis, clock: Clock, metrics: RuntimeMetrics, poll_every: Duration) -> Self {
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
            pending: refresh::Pending::default(),
            poll_every,
        };
        Self { shared: Arc::new(shared) }
    }

    /// An install that is switched on.
    pub fn install(&self, account_id: Uuid, install_id: Uuid) -> Option<Arc<Install>> {
        self.read(|installs| installs.enabled(account_id, install_id))
    }

    /// The triggers of an account, compiled; none for an account without installs.
    ///
    /// # Errors
    /// When they are not known yet and the API cannot be asked.
    pub async fn triggers(&self, account_id: Uuid) -> Result<Arc<Triggers>, Arc<ApiFailure>> {
        match self.read(|installs| installs.generation(account_id)) {
            Some(generation) => self.shared.triggers.get(account_id, generation).await,
            None => Ok(Arc::default()),
        }
    }

    /// The chat commands of an account.
    ///
    /// # Errors
    /// When they are not known yet and the API cannot be asked.
    pub async fn commands(&self, account_id: Uuid) -> Result<Arc<Commands>, Arc<ApiFailure>> {
        self.shared.commands.get(account_id).await
    }

    /// Accounts with something that runs again and again.
    pub fn accounts_with_timers(&self) -> Vec<Uuid> {
        self.read(Installs::accounts_with_timers)
    }

    fn read<T>(&self, look: impl FnOnce(&Installs) -> T) -> T {
        look(&self.shared.installs.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, change: impl FnOnce(&mut Installs) -> T) -> T {
        change(&mut self.shared.installs.write().unwrap_or_else(PoisonError::into_inner))
    }
}
