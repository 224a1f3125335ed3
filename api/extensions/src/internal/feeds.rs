//! From rows to feeds.

use std::{collections::HashMap, sync::Arc};

use api_core::{ApiError, Result};
use serde_json::{Map, Value};
use shared::{
    crypto::Keyring,
    extensions::{
        BotModule, Manifest, opened,
        system::{self, SystemModule},
    },
    feeds::{HandlerInstall, NodeInstall, TriggerInstall},
};
use uuid::Uuid;

use super::db::{InstallRow, VersionRow};

/// Versions by id.
pub(super) type Versions = HashMap<Uuid, Version>;

/// A version with its manifest read.
pub(super) struct Version {
    pub version: String,
    /// `None` when it cannot be read. The version then does not run; other versions do.
    pub manifest: Option<Manifest>,
    /// `None` when it may not run. The installs of a feed share it.
    pub handler_code: Option<Arc<str>>,
    pub runs: bool,
}

impl Version {
    /// Reads a stored version.
    pub(super) fn read(row: VersionRow) -> (Uuid, Self) {
        let manifest = Manifest::stored(row.manifest).inspect_err(|error| {
            tracing::error!(version_id = %row.id, %error, "the manifest of a version cannot be read; it does not run");
        });
        let manifest = manifest.ok();
        let runs = manifest.is_some() && !matches!(row.status.as_str(), "rejected" | "revoked" | "draft");
        let handler_code = row.handler_code.filter(|_| runs).map(Arc::from);
        (row.id, Self { version: row.version, manifest, handler_code, runs })
    }
}

/// Whether the install's triggers are on.
pub(super) fn runs(install: &InstallRow, versions: &Versions) -> bool {
    let version = versions.get(&install.version_id);
    install.enabled
        && !install.is_killed
        && !install.is_suspended
        && !install.is_switched_off
        && version.is_some_and(|version| version.runs)
}

pub(super) fn handler_install(
    keyring: &Keyring,
    install: InstallRow,
    versions: &Versions,
) -> Result<HandlerInstall> {
    let version = version_of(&install, versions)?;
    let module = match &version.manifest {
        Some(manifest) => bot_module(manifest)?,
        None => &BotModule::default(),
    };
    let handler_code = code(&install, version);
    Ok(HandlerInstall {
        enabled: runs(&install, versions),
        install_config: config(keyring, &install, version)?,
        install_id: install.id,
        extension_id: install.extension_id,
        account_id: install.account_id,
        extension_name: install.extension_name,
        version: version.version.clone(),
        platforms: module.platforms(),
        has_moderate: module.moderate.is_some(),
        handlers: module.handlers(),
        handler_code,
        version_id: install.version_id,
        has_timers: !module.timers.is_empty(),
        permissions: install.granted_permissions,
        egress: version.manifest.as_ref().map(Manifest::egress).unwrap_or_default(),
        tables: version.manifest.as_ref().map(|manifest| manifest.tables.clone()).unwrap_or_default(),
        secret_keys: version.manifest.as_ref().map(Manifest::secret_keys).unwrap_or_default(),
    })
}

/// The code of an install. Every account has every built-in module, mostly switched off: their code is left out until
/// somebody switches them on, so that a snapshot stays small.
fn code(install: &InstallRow, version: &Version) -> Option<Arc<str>> {
    let is_idle = !install.enabled && SystemModule::of(install.extension_id).is_some();
    version.handler_code.clone().filter(|_| !is_idle)
}

pub(super) fn trigger_install(
    keyring: &Keyring,
    install: InstallRow,
    versions: &Versions,
) -> Result<TriggerInstall> {
    let version = version_of(&install, versions)?;
    let manifest = version.manifest.as_ref().ok_or_else(vanished)?;
    let module = bot_module(manifest)?.clone();
    let config = config(keyring, &install, version)?;
    let exempt_roles = install.exempt_roles.iter().map(|role| serde_json::from_value(role.as_str().into()));
    let mut triggers = TriggerInstall {
        exempt_roles: exempt_roles.collect::<std::result::Result<_, _>>()?,
        filter: None,
        install_id: install.id,
        extension_id: install.extension_id,
        extension_name: install.extension_name,
        has_moderate: module.moderate.is_some(),
        platforms: module.platforms(),
        commands: module.commands,
        keywords: module.keywords,
        patterns: module.patterns,
        moderate: module.moderate,
        events: module.events,
        timers: module.timers,
    };
    system::add_triggers(&mut triggers, &config);
    Ok(triggers)
}

/// `None` when the manifest cannot be read: there is no telling what kind of node it is.
pub(super) fn node_install(
    keyring: &Keyring,
    install: InstallRow,
    versions: &Versions,
) -> Result<Option<NodeInstall>> {
    let version = version_of(&install, versions)?;
    let Some(manifest) = &version.manifest else { return Ok(None) };
    let node = manifest.automation_node.as_ref().ok_or_else(vanished)?;
    Ok(Some(NodeInstall {
        enabled: runs(&install, versions),
        install_config: config(keyring, &install, version)?,
        install_id: install.id,
        extension_id: install.extension_id,
        account_id: install.account_id,
        extension_name: install.extension_name,
        version: version.version.clone(),
        node_type: node.node_type,
        handler_code: version.handler_code.clone(),
        handler: node.handler.clone(),
        version_id: install.version_id,
        permissions: install.granted_permissions,
        egress: manifest.egress(),
        tables: manifest.tables.clone(),
        secret_keys: manifest.secret_keys(),
    }))
}

/// What `ctx.config` holds. A setting that cannot be decrypted would stop every install of the feed, so it is left
/// out and logged.
fn config(keyring: &Keyring, install: &InstallRow, version: &Version) -> Result<Map<String, Value>> {
    let stored = install.config.as_object().cloned().unwrap_or_default();
    let Some(Manifest { config_schema: schema, .. }) = &version.manifest else { return Ok(Map::new()) };
    match opened(keyring, install.id, stored.clone()) {
        Ok(config) => Ok(schema.with_defaults(config)),
        Err(shared::Error::Decryption(reason)) => {
            tracing::error!(install_id = %install.id, %reason, "secret settings of an install cannot be read");
            Ok(schema.with_defaults(stored.into_iter().filter(|(key, _)| !schema.is_secret(key)).collect()))
        }
        Err(error) => Err(error.into()),
    }
}

fn version_of<'a>(install: &InstallRow, versions: &'a Versions) -> Result<&'a Version> {
    versions.get(&install.version_id).ok_or_else(vanished)
}

fn bot_module(manifest: &Manifest) -> Result<&BotModule> {
    manifest.bot_module.as_ref().ok_or_else(vanished)
}

/// The query selects installs whose version has the part.
fn vanished() -> ApiError {
    ApiError::internal("an install of a feed has no version or not the part that the feed is about")
}
