//! Features of accounts that are off, read at most once a second for each account.

use std::{sync::Arc, time::Duration};

use foundation::db::Database;
use moka::future::Cache;
use shared::{Error, Result};
use uuid::Uuid;
use webhook_model::features::FeaturesOff;

/// Time for which the features of an account are known.
const FEATURES_TTL: Duration = Duration::from_secs(1);
/// Maximum number of accounts whose features are known.
const MAX_ACCOUNTS: u64 = 10_000;

/// Features of all accounts.
pub(crate) struct Features {
    off: Cache<Uuid, Arc<FeaturesOff>>,
    database: Database,
}

impl Features {
    /// Nothing is known yet.
    pub fn new(database: Database) -> Self {
        Self { off: Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_live(FEATURES_TTL).build(), database }
    }

    /// True when the feature of a type is off for the account.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn is_off(&self, account: Uuid, event_type: &str) -> Result<bool> {
        let off = self.off.try_get_with(account, self.read(account)).await;
        let off = off.map_err(|error: Arc<Error>| Error::Internal(error.to_string()))?;
        Ok(off.concern(account, event_type))
    }

    async fn read(&self, account: Uuid) -> Result<Arc<FeaturesOff>> {
        Ok(Arc::new(FeaturesOff::read(&mut *self.database.get().await?, &[account]).await?))
    }
}
