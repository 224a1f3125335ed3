//! Changes of an install.

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{AccountCaller, Grants, account_features},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::{MASK, Manifest, consent_needed, sealed, system, system::needed_features};
use foundation::{jobs::RollOutVersion, outbox};
use serde_json::{Map, Value};
use shared::catalogue::{AccountPermission, Feature};
use uuid::Uuid;

use super::{
    Change, ConfigureExtensionInput, ExtensionInstall,
    db::{self, versions, views},
    not_found, refused, settings,
};

pub static CONFIGURE_EXTENSION: Operation<AccountCaller> =
    Operation::account("configureExtension", AccountPermission::ExtensionStoreConfigure, Grants::Extensions)
        .feature(Feature::Extensions);

/// Changes the settings of an install, switches it on or off, or pins its version.
///
/// - `config` replaces all settings. A secret that is sent as its mask keeps its value.
/// - `enabled: true` also lifts a kill.
/// - `pinned_version` moves the install to that published version and stops updates. Null follows updates
///   again; the move to a newer version follows later.
/// - A pin never replaces the account's consent: the version must ask for nothing beyond the granted
///   permissions and beyond the hosts and ports of the running version.
///
/// Workers and open sockets are informed.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid setting.
/// - 400 for a pin to a version that is not published or needs the account's consent.
/// - 403 `FEATURE_DISABLED` when the install is switched on while a feature that it needs is off.
/// - 404 when the account has no such install.
#[api_core::operation]
pub async fn configure_extension(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<ConfigureExtensionInput>,
) -> Result<ExtensionInstall> {
    let caller = cx.authorize(&CONFIGURE_EXTENSION).await?;
    let (id, input) = (id?, input?);
    let enabled = input.enabled.not_null("enabled")?;
    let config = input.config.not_null("config")?.map(|config| settings(Some(config))).transpose()?;
    let features = account_features(cx.state(), caller.account).await?;
    let install = caller
        .db()
        .await?
        .transaction(async |connection| {
            let before = db::locked(connection, caller.account, id).await?.ok_or_else(not_found)?;
            let mut changes = db::Changes::at(cx.state().clock.now());
            pin(connection, &before, input.pinned_version, &mut changes).await?;
            if let Some(config) = config {
                let version = changes.version_id.unwrap_or(before.version_id);
                changes.config =
                    Some(Value::Object(checked(cx, connection, &before, version, config).await?));
            }
            if let Some(enabled) = enabled {
                changes.enabled = Some(enabled);
                if enabled {
                    for feature in needed_features(before.extension_id) {
                        features.require(&feature)?;
                    }
                    changes.killed_at = Some(None);
                }
            }
            db::update(connection, caller.account, id, changes).await?;
            foundation::audit::record(connection, cx.audit("extension:configured", "extension_install", id))
                .await?;
            views::find(connection, caller.account, id, &features).await?.ok_or_else(not_found)
        })
        .await?;
    Change::Updated(&install).announce(cx, caller.account).await;
    Ok(install)
}

/// Checks settings against the version's schema and seals them for storage.
async fn checked(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    before: &db::Locked,
    version: Uuid,
    config: Map<String, Value>,
) -> Result<Map<String, Value>> {
    let schema = Manifest::stored(versions::manifest(connection, version).await?)?.config_schema;
    let stored = before.config.as_object().cloned().unwrap_or_default();
    let is_kept =
        |key: &str, value: &Value| schema.is_secret(key) && value == MASK && stored.contains_key(key);
    // A secret that is sent as its mask was checked when it was set.
    let (kept, given): (Map<String, Value>, Map<String, Value>) =
        config.clone().into_iter().partition(|(key, value)| is_kept(key, value));
    schema.without(kept.keys()).check(&given).map_err(refused)?;
    system::check(before.extension_id, &given).map_err(refused)?;
    Ok(sealed(&cx.state().keyring, &schema, before.id, config, &stored)?)
}

/// Pins to a published version, or follows updates again.
async fn pin(
    connection: &mut AsyncPgConnection,
    before: &db::Locked,
    pinned: Patch<String>,
    changes: &mut db::Changes,
) -> Result<()> {
    match pinned {
        Patch::Absent => {}
        Patch::Null => {
            changes.pinned_version = Some(None);
            let job = RollOutVersion { extension_id: before.extension_id };
            outbox::add(connection, &job, &format!("roll_out:unpinned:{}", shared::id::new())).await?;
        }
        Patch::Value(version) => {
            let published = versions::published(connection, before.extension_id, &version).await?;
            let (version_id, manifest) = published.ok_or_else(|| {
                ApiError::invalid(format!("pinned_version {version} is not a published version"))
            })?;
            without_consent(connection, before, &version, &Manifest::stored(manifest)?).await?;
            changes.version_id = Some(version_id);
            changes.pinned_version = Some(Some(version));
        }
    }
    Ok(())
}

/// Refuses a pin that needs the account's consent: a pin may only move where a roll-out would, or back to a
/// version that asks for no more.
async fn without_consent(
    connection: &mut AsyncPgConnection,
    before: &db::Locked,
    version: &str,
    pinned: &Manifest,
) -> Result<()> {
    let refuse = |why: String| Err(ApiError::invalid(format!("pinned_version {version} {why}")));
    if let Some(more) = pinned.permissions.iter().find(|asked| !before.granted_permissions.contains(asked)) {
        return refuse(format!("asks for {more}, which was not granted"));
    }
    let (running, manifest) = versions::running(connection, before.version_id).await?;
    let (reached, reaches) = (Manifest::stored(manifest)?.egress(), pinned.egress());
    if let Some(host) = reaches.allow_hosts.iter().find(|host| !reached.allow_hosts.contains(host)) {
        return refuse(format!("reaches {host}, which the running version does not"));
    }
    if let Some(port) = reaches.allow_ports.iter().find(|port| !reached.allow_ports.contains(port)) {
        return refuse(format!("reaches port {port}, which the running version does not"));
    }
    let breaking =
        versions::breaking(connection, vec![before.extension_id]).await?.remove(&before.extension_id);
    let (asked, granted) = (&pinned.permissions, &before.granted_permissions);
    if consent_needed(&running, &versions::parse(version)?, &breaking.unwrap_or_default(), asked, granted) {
        return refuse("is or follows a breaking version; accept the update instead".to_owned());
    }
    Ok(())
}
