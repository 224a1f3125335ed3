//! Features of accounts that are off, read at most once a second for each account.

use std::{collections::HashSet, sync::Arc, time::Duration};

use account_model::features::switched_off;
use automation_model::node_types::NODE_TYPES;
use foundation::db::Database;
use moka::future::Cache;
use shared::{Error, Result, catalogue::Feature};
use uuid::Uuid;

/// Time for which the features of an account are known.
const FEATURES_TTL: Duration = Duration::from_secs(1);
/// Maximum number of accounts whose features are known.
const MAX_ACCOUNTS: u64 = 10_000;

/// Features of all accounts.
pub(super) struct Features {
    off: Cache<Uuid, Arc<HashSet<String>>>,
    database: Database,
}

impl Features {
    /// Nothing is known yet.
    pub fn new(database: Database) -> Self {
        Self { off: Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_live(FEATURES_TTL).build(), database }
    }

    /// True when the feature is off for the account.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn is_off(&self, account: Uuid, key: &str) -> Result<bool> {
        let off = self.off.try_get_with(account, self.read(account)).await;
        let off = off.map_err(|error: Arc<Error>| Error::Internal(error.to_string()))?;
        Ok(off.contains(key))
    }

    async fn read(&self, account: Uuid) -> Result<Arc<HashSet<String>>> {
        let actions = NODE_TYPES.iter().filter_map(|node_type| node_type.feature);
        let keys: Vec<&str> = actions.chain([Feature::Automations.key()]).collect();
        let off = switched_off(&mut *self.database.get().await?, &[account], &keys).await?;
        Ok(Arc::new(off.into_iter().map(|(_, key)| key).collect()))
    }
}
