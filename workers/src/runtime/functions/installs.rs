//! The installs that calls are about, read from the database and kept for as long as nothing of them changes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use moka::future::Cache;
use serde_json::{Map, Value};
use shared::{
    crypto::Keyring,
    db::Database,
    db::schema::{extension_installs, extension_versions, extensions},
    extensions::{Function, Manifest, calls::FunctionCall, opened},
};
use uuid::Uuid;

use crate::runtime::{egress::AllowList, executor::Runnable, modules::Source};

/// Memory that known installs may hold together.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);
const OVERHEAD: usize = 4 * 1024;

/// Installs by id and revision. Cheap to clone.
#[derive(Clone)]
pub struct Installs {
    postgres: Database,
    keyring: Keyring,
    known: Cache<(Uuid, DateTime<Utc>), Arc<InstallOfCall>>,
}

/// An install as its functions need it.
#[derive(Debug)]
pub struct InstallOfCall {
    pub runnable: Arc<Runnable>,
    pub functions: BTreeMap<String, Function>,
    /// `ctx.config`.
    pub config: Value,
}

type Row =
    (Uuid, Uuid, Value, DateTime<Utc>, bool, Option<DateTime<Utc>>, String, String, Value, Option<String>);

impl Installs {
    pub fn new(postgres: Database, keyring: Keyring) -> Self {
        let known = Cache::builder()
            .weigher(|_, install: &Arc<InstallOfCall>| {
                u32::try_from(install.runnable.source.text.len() + OVERHEAD).unwrap_or(u32::MAX)
            })
            .max_capacity(MAX_BYTES)
            .time_to_live(FORGOTTEN_AFTER)
            .build();
        Self { postgres, keyring, known }
    }

    /// The install of a call; `None` when it is gone or its code may not run.
    ///
    /// # Errors
    /// When the database fails or what is stored cannot be read.
    pub async fn of(&self, call: &FunctionCall) -> shared::Result<Option<Arc<InstallOfCall>>> {
        let key = (call.install_id, call.revision);
        if let Some(known) =
            self.known.get(&key).await.filter(|known| known.runnable.account_id == call.account_id)
        {
            return Ok(Some(known));
        }
        let Some((install, revision)) = self.read(call).await? else { return Ok(None) };
        let install = Arc::new(install);
        // What stands now may be newer than what the caller was checked against: that is found under its own time.
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
