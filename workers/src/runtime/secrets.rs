//! Secrets of extensions, as the API hands them out for a batch of invocations (specification C B17).

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use moka::future::Cache;
use shared::secret::Secret;
use uuid::Uuid;

use super::api::{Api, ApiFailure};

/// How long a batch lasts: a changed secret is in use after this at the latest.
const BATCH: Duration = Duration::from_secs(10);
const MAX_EXTENSIONS: u64 = 1000;

/// The secrets of one extension by name.
pub type SecretsOfExtension = Arc<BTreeMap<String, Secret>>;

/// Secrets in memory, never on a disk. Cheap to clone.
#[derive(Clone)]
pub struct SecretStore {
    api: Api,
    batches: Cache<Uuid, SecretsOfExtension>,
}

impl SecretStore {
    pub fn new(api: Api) -> Self {
        Self { api, batches: Cache::builder().max_capacity(MAX_EXTENSIONS).time_to_live(BATCH).build() }
    }

    /// The secrets of an extension.
    ///
    /// # Errors
    /// When the API cannot be asked.
    pub async fn of(&self, extension_id: Uuid) -> Result<SecretsOfExtension, Arc<ApiFailure>> {
        self.batches
            .try_get_with(extension_id, async {
                let found = self.api.secrets_of(extension_id).await?;
                let secrets = found.secrets.into_iter().map(|(name, value)| (name, Secret::new(value)));
                Ok::<_, ApiFailure>(Arc::new(secrets.collect()))
            })
            .await
    }
}
