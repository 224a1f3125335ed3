//! Installs of calls, read from the database and cached until they change.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use extension_model::{AutomationNode, Function, Manifest, calls::FunctionCall, feeds::NodeType, opened};
use foundation::{crypto::Keyring, db::Database};
use moka::future::Cache;
use serde_json::{Map, Value};
use shared::schema::{extension_installs, extension_versions, extensions};
use uuid::Uuid;

use crate::{egress::AllowList, modules::Source, run::Runnable};

/// Maximum memory of all cached installs, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Lifetime of a cached install.
const CACHE_TTL: Duration = Duration::from_secs(60);
const OVERHEAD: usize = 4 * 1024;

/// Installs by id and revision. Cheap to clone.
#[derive(Clone)]
pub struct Installs {
    postgres: Database,
    keyring: Keyring,
    known: Cache<(Uuid, DateTime<Utc>), Arc<InstallOfCall>>,
}

/// Install as its functions need it.
#[derive(Debug)]
pub struct InstallOfCall {
    /// Code and context of the install.
    pub runnable: Arc<Runnable>,
    /// Functions that the version declares, by name.
    pub functions: BTreeMap<String, Function>,
    /// Action or logic node of automations that the version declares.
    pub node: Option<AutomationNode>,
    /// Value of `ctx.config`.
    pub config: Value,
}

type Row =
    (Uuid, Uuid, Value, DateTime<Utc>, bool, Option<DateTime<Utc>>, String, String, Value, Option<String>);

impl Installs {
    /// Returns an empty cache.
    pub fn new(postgres: Database, keyring: Keyring) -> Self {
        let known = Cache::builder()
            .weigher(|_, install: &Arc<InstallOfCall>| {
                u32::try_from(install.runnable.source.text.len() + OVERHEAD).unwrap_or(u32::MAX)
            })
            .max_capacity(MAX_BYTES)
            .time_to_live(CACHE_TTL)
            .build();
        Self { postgres, keyring, known }
    }

    /// Returns the install of a call; `None` when it is gone or its code may not run.
    ///
    /// # Errors
    /// Failures of the database, and stored data that cannot be read.
    pub async fn of(&self, call: &FunctionCall) -> shared::Result<Option<Arc<InstallOfCall>>> {
        let key = (call.install_id, call.revision);
        if let Some(known) =
            self.known.get(&key).await.filter(|known| known.runnable.account_id == call.account_id)
        {
            return Ok(Some(known));
        }
        let Some((install, revision)) = self.read(call).await? else { return Ok(None) };
        let install = Arc::new(install);
        // The current install may be newer than the one the caller was checked against; it is found under its
        // own revision.
        self.known.insert((call.install_id, revision), install.clone()).await;
        Ok(Some(install))
    }

    async fn read(&self, call: &FunctionCall) -> shared::Result<Option<(InstallOfCall, DateTime<Utc>)>> {
        let row: Option<Row> = extension_installs::table
            .inner_join(extensions::table)
            .inner_join(
                extension_versions::table.on(extension_versions::id.eq(extension_installs::version_id)),
            )
            .filter(extension_installs::id.eq(call.install_id))
            .filter(extension_installs::account_id.eq(call.account_id))
            .select((
                extension_installs::extension_id,
                extension_installs::version_id,
                extension_installs::config,
                extension_installs::updated_at,
                extension_installs::enabled,
                extension_installs::killed_at,
                extensions::status,
                extension_versions::status,
                extension_versions::manifest,
                extension_versions::handler_code,
            ))
            .first(&mut *self.postgres.get().await?)
            .await
            .optional()?;
        let Some(row) = row else { return Ok(None) };
        let (
            extension_id,
            version_id,
            config,
            revision,
            enabled,
            killed_at,
            status,
            version_status,
            manifest,
            code,
        ) = row;
        let may_run = enabled
            && killed_at.is_none()
            && status != "suspended"
            && !matches!(version_status.as_str(), "rejected" | "revoked" | "draft");
        if !may_run {
            return Ok(None);
        }
        let manifest = Manifest::stored(manifest)?;
        let config = self.config(call.install_id, &manifest, config)?;
        let secret_settings = secret_settings(&manifest, &config);
        let runnable = Runnable {
            install_id: call.install_id,
            account_id: call.account_id,
            extension_id,
            source: Source { version_id, text: code.unwrap_or_default().into() },
            allow_list: AllowList::new(&manifest.egress()),
            tables: Arc::new(manifest.tables),
            secret_settings,
        };
        let install = InstallOfCall {
            runnable: Arc::new(runnable),
            functions: manifest.functions,
            node: manifest.automation_node.filter(|node| node.node_type != NodeType::Trigger),
            config: Value::Object(config),
        };
        Ok(Some((install, revision)))
    }

    fn config(
        &self,
        install_id: Uuid,
        manifest: &Manifest,
        stored: Value,
    ) -> shared::Result<Map<String, Value>> {
        let stored = match stored {
            Value::Object(stored) => stored,
            _ => Map::new(),
        };
        Ok(manifest.config_schema.with_defaults(opened(&self.keyring, install_id, stored)?))
    }
}

fn secret_settings(manifest: &Manifest, config: &Map<String, Value>) -> Vec<String> {
    let keys = manifest.secret_keys();
    keys.iter().filter_map(|key| config.get(key)?.as_str().map(str::to_owned)).collect()
}
