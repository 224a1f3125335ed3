//! The triggers of accounts, read when they are first needed and compiled.

use std::{sync::Arc, time::Duration};

use moka::{future, sync};
use uuid::Uuid;

use super::installs::Moment;
use crate::runtime::{
    api::{Api, ApiFailure},
    triggers::Triggers,
};

/// Accounts whose compiled triggers are kept; the least used go first.
const MOST_ACCOUNTS: u64 = 2000;
const FORGOTTEN_AFTER: Duration = Duration::from_secs(3600);
/// How long an account's last known triggers serve before the API is asked again, after it could not be.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(1);

pub struct TriggerCache {
    api: Api,
    current: future::Cache<(Uuid, Moment), Arc<Triggers>>,
    /// The last known triggers of any generation.
    last: sync::Cache<Uuid, Arc<Triggers>>,
    resting: sync::Cache<Uuid, ()>,
}

impl TriggerCache {
    pub fn new(api: Api) -> Self {
        Self {
            api,
            current: future::Cache::builder()
                .max_capacity(MOST_ACCOUNTS)
                .time_to_idle(FORGOTTEN_AFTER)
                .build(),
            last: sync::Cache::builder().max_capacity(MOST_ACCOUNTS).time_to_idle(FORGOTTEN_AFTER).build(),
            resting: sync::Cache::builder().max_capacity(MOST_ACCOUNTS).time_to_live(ASK_AGAIN_AFTER).build(),
        }
    }

    /// The triggers of a generation, or the last known ones when the API cannot be asked: calls of installs that
    /// are no longer switched on are dropped later anyway.
    pub async fn get(&self, account_id: Uuid, generation: Moment) -> Result<Arc<Triggers>, Arc<ApiFailure>> {
        let known = self.last.get(&account_id);
        if let Some(known) = &known
            && self.resting.contains_key(&account_id)
        {
            return Ok(known.clone());
        }
        match (self.current.try_get_with((account_id, generation), self.read(account_id)).await, known) {
            (Err(error), Some(known)) => {
                tracing::debug!(%account_id, %error, "going on with the last known triggers");
                self.resting.insert(account_id, ());
                Ok(known)
            }
            (read, _) => read,
        }
    }

    async fn read(&self, account_id: Uuid) -> Result<Arc<Triggers>, ApiFailure> {
        let feed = self.api.triggers_of(account_id).await?;
        let triggers = Arc::new(Triggers::compile(&feed));
        self.last.insert(account_id, triggers.clone());
        Ok(triggers)
    }
}
