//! Conversion of rows to feeds.

use std::sync::Arc;

use api_core::{ApiError, Result};
use extension_model::{
    BotModule, Manifest,
    feeds::{HandlerInstall, NodeInstall, TriggerInstall},
    opened,
    system::{self, SystemModule},
};
use foundation::crypto::Keyring;
use serde_json::{Map, Value};

use super::{
    db::InstallRow,
    version::{Version, Versions},
};

/// True when the install's triggers are on.
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

/// Code of an install. Every account has all built-in modules, most of them switched off. Their code is left
/// out until they are switched on, so that a snapshot stays small.
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

/// `None` when the manifest cannot be read, because the kind of the node is unknown.
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

/// Content of `ctx.config`. A setting that cannot be decrypted is left out and logged; an error would stop
/// all installs of the feed.
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

/// 500, because the query selects only installs whose version has the part.
fn vanished() -> ApiError {
    ApiError::internal("an install of a feed has no version or not the part that the feed is about")
}
