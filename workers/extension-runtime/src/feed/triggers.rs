//! Cache of the accounts' triggers, read on first use and compiled.

use std::{sync::Arc, time::Duration};

use moka::{future, sync};
use uuid::Uuid;

use super::installs::LogicalTime;
use crate::{api::Api, api_failure::ApiFailure, triggers::Triggers};

/// Maximum memory of all compiled triggers, in bytes; those of the least used accounts are dropped first.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Time after which triggers without use are dropped.
const IDLE_TTL: Duration = Duration::from_secs(3600);
/// Time for which an account's last known triggers are used after a failed call, before the API is called
/// again.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Maximum number of accounts with a pause after a failed call.
const MAX_COOLDOWNS: u64 = 100_000;
/// Time for which a read is shared by concurrent requests.
const SHARED_READ_TTL: Duration = Duration::from_secs(1);
/// Maximum memory of shared reads, in bytes.
const MAX_SHARED_BYTES: u64 = 64 * 1024 * 1024;

/// Triggers of this process.
pub struct TriggerCache {
    api: Api,
    /// Last known triggers of an account.
    known: sync::Cache<Uuid, Known>,
    /// Merges concurrent reads into one.
    reads: future::Cache<(Uuid, LogicalTime), Arc<Triggers>>,
    resting: sync::Cache<Uuid, ()>,
}

#[derive(Clone)]
struct Known {
    generation: LogicalTime,
    triggers: Arc<Triggers>,
}

impl TriggerCache {
    /// Returns an empty cache.
    pub fn new(api: Api) -> Self {
        Self {
            api,
            known: known(MAX_BYTES),
            reads: future::Cache::builder()
                .weigher(|_, triggers: &Arc<Triggers>| weight(triggers))
                .max_capacity(MAX_SHARED_BYTES)
                .time_to_live(SHARED_READ_TTL)
                .build(),
            resting: sync::Cache::builder().max_capacity(MAX_COOLDOWNS).time_to_live(RETRY_DELAY).build(),
        }
    }

    /// Returns the triggers of a generation, or the last known ones while the API is away: calls of installs
    /// that are no longer switched on are dropped later anyway.
    pub async fn get(
        &self,
        account_id: Uuid,
        generation: LogicalTime,
    ) -> Result<Arc<Triggers>, Arc<ApiFailure>> {
        let known = self.known.get(&account_id);
        if let Some(known) = &known
            && (known.generation == generation || self.resting.contains_key(&account_id))
        {
            return Ok(known.triggers.clone());
        }
        let read = self.read(account_id, generation);
        match (self.reads.try_get_with((account_id, generation), read).await, known) {
            (Err(error), Some(known)) => {
                tracing::debug!(%account_id, %error, "continuing with the last known triggers");
                self.resting.insert(account_id, ());
                Ok(known.triggers)
            }
            (read, _) => read,
        }
    }

    async fn read(&self, account_id: Uuid, generation: LogicalTime) -> Result<Arc<Triggers>, ApiFailure> {
        let feed = self.api.triggers_of(account_id).await?;
        let triggers = Arc::new(Triggers::compile(&feed));
        self.known.insert(account_id, Known { generation, triggers: triggers.clone() });
        Ok(triggers)
    }
}

fn known(max_bytes: u64) -> sync::Cache<Uuid, Known> {
    sync::Cache::builder()
        .weigher(|_, known: &Known| weight(&known.triggers))
        .max_capacity(max_bytes)
        .time_to_idle(IDLE_TTL)
        .build()
}

fn weight(triggers: &Triggers) -> u32 {
    u32::try_from(triggers.size_bytes()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use extension_model::feeds::{Pattern, TriggerFeed, TriggerInstall};

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
    fn trigger_cache_is_bounded_by_size() {
        let triggers = large();
        assert!(triggers.size_bytes() > 5 * 8 * 1024, "{} bytes", triggers.size_bytes());
        let cache = known(3 * u64::from(weight(&triggers)));
        for account in 0..20 {
            let triggers = triggers.clone();
            cache.insert(Uuid::from_u128(account), Known { generation: LogicalTime::default(), triggers });
            cache.run_pending_tasks();
        }
        assert!(cache.entry_count() <= 3, "{} entries", cache.entry_count());
    }
}
