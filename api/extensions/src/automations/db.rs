//! Queries of automation nodes and of what triggers them. All but the delivery's carry the account: a delivery names no
//! account, its secret does.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{Queryable, dsl::exists, prelude::*, select, sql_types::Bool, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    db::schema::{
        automation_trigger_registrations as registrations, automations, extension_installs as installs,
        extension_versions,
    },
    extensions::install_runs,
    id::AccountId,
};
use uuid::Uuid;

/// Modes of triggers that listen to a webhook.
const LISTENING: [&str; 2] = ["webhook", "both"];
/// Installs whose nodes are listed.
const MAX_NODES: i64 = 1000;

/// An install whose version has a node.
#[derive(Debug, Queryable)]
pub(super) struct NodeRow {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub manifest: Value,
}

/// A trigger that listens to a webhook.
#[derive(Debug, Queryable)]
pub(super) struct Webhook {
    pub id: Uuid,
    pub automation_id: Uuid,
    pub install_id: Uuid,
    pub extension_id: Uuid,
    /// Sealed; `None` until it is asked for.
    pub secret: Option<Vec<u8>>,
}

/// A trigger that a delivery names by its secret.
#[derive(Debug, Queryable)]
pub(super) struct Named {
    pub id: Uuid,
    pub secret_hash: Option<Vec<u8>>,
    /// Whether the automation is switched on and the install runs.
    pub is_on: bool,
}

pub(super) async fn nodes(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<NodeRow>> {
    let has_node =
        diesel::dsl::sql::<Bool>("jsonb_typeof(extension_versions.manifest -> 'automation_node') = 'object'");
    Ok(installs::table
        .inner_join(extension_versions::table.on(extension_versions::id.eq(installs::version_id)))
        .filter(installs::account_id.eq(account))
        .filter(install_runs())
        .filter(has_node)
        .order((installs::created_at, installs::id))
        .limit(MAX_NODES)
        .select((installs::id, installs::extension_id, extension_versions::manifest))
        .load(connection)
        .await?)
}

/// The install's first trigger of the automation that listens; one that is switched on before one that is not. Held
/// until the transaction ends.
pub(super) async fn hold_webhook(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    install_id: Uuid,
    automation_id: Uuid,
) -> Result<Option<Webhook>> {
    let first: Option<Uuid> = registrations::table
        .filter(registrations::account_id.eq(account))
        .filter(registrations::install_id.eq(install_id))
        .filter(registrations::automation_id.eq(automation_id))
        .filter(registrations::mode.eq_any(LISTENING))
        .order((registrations::enabled.desc(), registrations::created_at, registrations::id))
        .select(registrations::id)
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?;
    let Some(id) = first else { return Ok(None) };
    // Read once it is held: somebody may have made the secret meanwhile.
    Ok(registrations::table
        .inner_join(installs::table)
        .filter(registrations::id.eq(id).and(installs::account_id.eq(account)))
        .select((
            registrations::id,
            registrations::automation_id,
            registrations::install_id,
            installs::extension_id,
            registrations::webhook_secret,
        ))
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn put_secret(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    sealed: &[u8],
    hash: &[u8],
    now: DateTime<Utc>,
) -> Result<()> {
    update(registrations::table.find(id))
        .set((
            registrations::webhook_secret.eq(sealed),
            registrations::webhook_secret_hash.eq(hash),
            registrations::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Whether the install is one of the extension.
pub(super) async fn is_install(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    install_id: Uuid,
) -> Result<bool> {
    let install =
        installs::table.filter(installs::id.eq(install_id).and(installs::extension_id.eq(extension_id)));
    Ok(select(exists(install)).get_result(connection).await?)
}

/// The trigger of a secret, if its node is still in the automation and the install is one of the extension.
pub(super) async fn named(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    install_id: Uuid,
    secret_hash: &[u8],
) -> Result<Option<Named>> {
    let is_on = automations::enabled.and(install_runs());
    Ok(registrations::table
        .inner_join(automations::table)
        .inner_join(installs::table)
        .filter(installs::extension_id.eq(extension_id))
        .filter(registrations::install_id.eq(install_id).and(registrations::enabled))
        .filter(registrations::mode.eq_any(LISTENING))
        .filter(registrations::webhook_secret_hash.eq(secret_hash))
        .select((registrations::id, registrations::webhook_secret_hash, is_on))
        .first(connection)
        .await
        .optional()?)
}
