//! Secrets of extensions, which the API returns for a batch of invocations (reference/handlers.md#secrets).

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use moka::future::Cache;
use shared::secret::Secret;
use uuid::Uuid;

use super::{api::Api, api_failure::ApiFailure};

/// Lifetime of a batch: a changed secret is in use after this at the latest.
const BATCH_TTL: Duration = Duration::from_secs(10);
/// Maximum number of extensions with cached secrets.
const MAX_EXTENSIONS: u64 = 1000;

/// Secrets of one extension by name.
pub type SecretsOfExtension = Arc<BTreeMap<String, Secret>>;

/// Secrets in memory, never on a disk. Cheap to clone.
#[derive(Clone)]
pub struct SecretStore {
    api: Api,
    batches: Cache<Uuid, SecretsOfExtension>,
}

impl SecretStore {
    /// Returns an empty store.
    pub fn new(api: Api) -> Self {
        Self { api, batches: Cache::builder().max_capacity(MAX_EXTENSIONS).time_to_live(BATCH_TTL).build() }
    }

    /// Returns the secrets of an extension.
    ///
    /// # Errors
    /// The failure of the call to the API.
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
