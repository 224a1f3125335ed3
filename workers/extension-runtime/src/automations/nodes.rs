//! Code of automation nodes from the internal feed, cached until the install changes.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use extension_model::feeds::NodeInstall;
use moka::future::Cache;
use serde_json::Value;
use uuid::Uuid;

use super::registration::Registration;
use crate::{api::Api, api_failure::ApiFailure, egress::AllowList, modules::Source, run::Runnable};

/// Maximum memory of all cached nodes, in bytes.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
const OVERHEAD: usize = 4 * 1024;
/// Lifetime of a cached node. Changes that the trigger's registration does not show, such as a feature, take
/// effect after it.
const CACHE_TTL: Duration = Duration::from_secs(60);

/// Cache of nodes by install and revision. Cheap to clone.
#[derive(Clone)]
pub struct Nodes {
    api: Api,
    known: Cache<(Uuid, DateTime<Utc>), Arc<RunnableNode>>,
}

/// Node that can run.
#[derive(Debug)]
pub struct RunnableNode {
    /// Install of the node.
    pub runnable: Arc<Runnable>,
    /// Export that is called.
    pub handler: Arc<str>,
    /// Value of `ctx.config`.
    pub config: Value,
}

impl Nodes {
    /// Returns an empty cache.
    pub fn new(api: Api) -> Self {
        let known = Cache::builder()
            .weigher(|_, node: &Arc<RunnableNode>| {
                u32::try_from(node.runnable.source.text.len() + OVERHEAD).unwrap_or(u32::MAX)
            })
            .max_capacity(MAX_BYTES)
            .time_to_live(CACHE_TTL)
            .build();
        Self { api, known }
    }

    /// Returns the node of a trigger; `None` when it may not run.
    ///
    /// # Errors
    /// The failure of the call to the API.
    pub async fn of(&self, trigger: &Registration) -> Result<Option<Arc<RunnableNode>>, Arc<ApiFailure>> {
        let key = (trigger.install_id, trigger.revision);
        if let Some(known) = self.known.get(&key).await {
            return Ok(Some(known));
        }
        let install = self.api.node(trigger.install_id).await?;
        let node = install.filter(|install| install.account_id == trigger.account_id).and_then(runnable);
        let Some(node) = node.map(Arc::new) else { return Ok(None) };
        self.known.insert(key, node.clone()).await;
        Ok(Some(node))
    }
}

fn runnable(install: NodeInstall) -> Option<RunnableNode> {
    let text = install.handler_code.filter(|_| install.enabled)?;
    let secrets = install.secret_keys.iter().filter_map(|key| install.install_config.get(key)?.as_str());
    let secret_settings = secrets.map(str::to_owned).collect();
    let runnable = Runnable {
        install_id: install.install_id,
        account_id: install.account_id,
        extension_id: install.extension_id,
        source: Source { version_id: install.version_id, text },
        allow_list: AllowList::new(&install.egress),
        tables: Arc::new(install.tables),
        secret_settings,
    };
    Some(RunnableNode {
        runnable: Arc::new(runnable),
        handler: install.handler.into(),
        config: Value::Object(install.install_config),
    })
}
