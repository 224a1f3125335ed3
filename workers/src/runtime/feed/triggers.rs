//! The triggers of accounts, read when they are first needed and compiled.

use std::{sync::Arc, time::Duration};

use moka::{future, sync};
use uuid::Uuid;

use super::installs::Moment;
use crate::runtime::{
    api::{Api, ApiFailure},
    triggers::Triggers,
};

/// Memory that compiled triggers may hold together; those of the least used accounts go first.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
const FORGOTTEN_AFTER: Duration = Duration::from_secs(3600);
/// How long an account's last known triggers serve before the API is asked again, after it could not be.
const RETRY_DELAY: Duration = Duration::from_secs(1);
const MAX_COOLDOWNS: u64 = 100_000;
/// How long what was read is shared with those who asked for the same at the same time.
const SHARED_FOR: Duration = Duration::from_secs(1);
const MAX_SHARED_BYTES: u64 = 64 * 1024 * 1024;

pub struct TriggerCache {
    api: Api,
    /// The last known triggers of an account.
    known: sync::Cache<Uuid, Known>,
    /// Makes one read of those that are asked for at the same time.
    reads: future::Cache<(Uuid, Moment), Arc<Triggers>>,
    resting: sync::Cache<Uuid, ()>,
}

#[derive(Clone)]
struct Known {
    generation: Moment,
    triggers: Arc<Triggers>,
}

impl TriggerCache {
    pub fn new(api: Api) -> Self {
        Self {
            api,
            known: known(MAX_BYTES),
            reads: future::Cache::builder()
                .weigher(|_, triggers: &Arc<Triggers>| weight(triggers))
                .max_capacity(MAX_SHARED_BYTES)
                .time_to_live(SHARED_FOR)
                .build(),
            resting: sync::Cache::builder().max_capacity(MAX_COOLDOWNS).time_to_live(RETRY_DELAY).build(),
        }
    }

    /// The triggers of a generation, or the last known ones when the API cannot be asked: calls of installs that
    /// are no longer switched on are dropped later anyway.
    pub async fn get(&self, account_id: Uuid, generation: Moment) -> Result<Arc<Triggers>, Arc<ApiFailure>> {
        let known = self.known.get(&account_id);
        if let Some(known) = &known
            && (known.generation == generation || self.resting.contains_key(&account_id))
        {
            return Ok(known.triggers.clone());
        }
        let read = self.read(account_id, generation);
        match (self.reads.try_get_with((account_id, generation), read).await, known) {
            (Err(error), Some(known)) => {
                tracing::debug!(%account_id, %error, "going on with the last known triggers");
                self.resting.insert(account_id, ());
                Ok(known.triggers)
            }
            (read, _) => read,
        }
    }

    async fn read(&self, account_id: Uuid, generation: Moment) -> Result<Arc<Triggers>, ApiFailure> {
        let feed = self.api.triggers_of(account_id).await?;
        let triggers = Arc::new(Triggers::compile(&feed));
        self.known.insert(account_id, Known { generation, triggers: triggers.clone() });
        Ok(triggers)
    }
}

fn known(most_bytes: u64) -> sync::Cache<Uuid, Known> {
    sync::Cache::builder()
        .weigher(|_, known: &Known| weight(&known.triggers))
        .max_capacity(most_bytes)
        .time_to_idle(FORGOTTEN_AFTER)
        .build()
}

fn weight(triggers: &Triggers) -> u32 {
    u32::try_from(triggers.size_bytes()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use shared::feeds::{Pattern, TriggerFeed, TriggerInstall};

    use super::*;

    fn large() -> Arc<Triggers> {
        let pattern = |index: usize| Pattern {
            regex: format!(r"[a-z]{{200}}{index}"),
            enabled: true,
            handler: "on_pattern".to_owned(),
        };
        let install = TriggerInstall {
            install_id: Uuid::from_u128(1),
            extension_id: Uuid::from_u128(2),
            extension_name: "Test".to_owned(),
            commands: Vec::new(),
            keywords: Vec::new(),
            patterns: (0..5).map(pattern).collect(),
            has_moderate: false,
            platforms: Vec::new(),
            moderate: None,
            events: Vec::new(),
            timers: Vec::new(),
            exempt_roles: Vec::new(),
            filter: None,
        };
        Arc::new(Triggers::compile(&TriggerFeed { installs: vec![install], killed: false }))
    }

    #[test]
    fn what_is_kept_is_bounded_by_its_size() {
        let triggers = large();
        assert!(triggers.size_bytes() > 5 * 8 * 1024, "{} bytes", triggers.size_bytes());
        let cache = known(3 * u64::from(weight(&triggers)));
        for account in 0..20 {
            let triggers = triggers.clone();
            cache.insert(Uuid::from_u128(account), Known { generation: Moment::default(), triggers });
            cache.run_pending_tasks();
        }
        assert!(cache.entry_count() <= 3, "{} entries", cache.entry_count());
    }
}
