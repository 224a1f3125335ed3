//! Install of a local runtime.

use std::{collections::BTreeMap, sync::Arc};

use extension_model::{
    Manifest,
    feeds::{NodeType, TriggerFeed, TriggerInstall},
};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{egress::AllowList, feed::Install, functions::InstallOfCall, modules::Source, run::Runnable};

/// Ids of the only account, install and version.
const ACCOUNT_ID: Uuid = Uuid::from_u128(0xa);
const INSTALL_ID: Uuid = Uuid::from_u128(0xb);
const VERSION_ID: Uuid = Uuid::from_u128(0xc);

/// Install of the extension in a developer's folder.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalInstall {
    /// Manifest of the version.
    pub manifest: Manifest,
    /// Settings as an account would set them; defaults are added.
    pub config: Map<String, Value>,
    /// Secrets of the extension, by name.
    pub secrets: BTreeMap<String, String>,
}

impl LocalInstall {
    /// Returns the account of every local install.
    #[must_use]
    pub const fn account_id() -> Uuid {
        ACCOUNT_ID
    }

    /// Returns the install as triggers need it.
    pub(super) fn runnable(&self) -> Install {
        let module = self.manifest.bot_module.as_ref();
        Install {
            id: INSTALL_ID,
            account_id: ACCOUNT_ID,
            extension_id: self.manifest.extension_id,
            config: self.config(),
            enabled: true,
            has_timers: module.is_some_and(|module| !module.timers.is_empty()),
            runnable: Some(Arc::new(self.code())),
        }
    }

    /// Returns the install as functions and nodes need it.
    pub(super) fn of_call(&self) -> InstallOfCall {
        let node = self.manifest.automation_node.clone();
        InstallOfCall {
            runnable: Arc::new(self.code()),
            functions: self.manifest.functions.clone(),
            node: node.filter(|node| node.node_type != NodeType::Trigger),
            config: self.config(),
        }
    }

    /// Returns the triggers as the API serves them to the runtime.
    pub(super) fn triggers(&self) -> TriggerFeed {
        let module = self.manifest.bot_module.clone();
        let installs = module.into_iter().map(|module| TriggerInstall {
            install_id: INSTALL_ID,
            extension_id: self.manifest.extension_id,
            extension_name: self.manifest.name.clone(),
            has_moderate: module.moderate.is_some(),
            platforms: module.platforms(),
            commands: module.commands,
            keywords: module.keywords,
            patterns: module.patterns,
            moderate: module.moderate,
            events: module.events,
            timers: module.timers,
            exempt_roles: Vec::new(),
            filter: None,
        });
        TriggerFeed { installs: installs.collect(), killed: false }
    }

    fn config(&self) -> Value {
        Value::Object(self.manifest.config_schema.with_defaults(self.config.clone()))
    }

    fn code(&self) -> Runnable {
        let config = self.config();
        let secret_keys = self.manifest.secret_keys();
        let secret_settings = secret_keys.iter().filter_map(|key| config.get(key)?.as_str());
        Runnable {
            install_id: INSTALL_ID,
            account_id: ACCOUNT_ID,
            extension_id: self.manifest.extension_id,
            // The module is loaded by the caller.
            source: Source { version_id: VERSION_ID, text: "".into() },
            allow_list: AllowList::new(&self.manifest.egress()),
            tables: Arc::new(self.manifest.tables.clone()),
            secret_settings: secret_settings.map(str::to_owned).collect(),
        }
    }
}
