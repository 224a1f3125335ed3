//! Queries of automation nodes and their triggers. All but those of deliveries carry the account; a delivery
//! is identified by its secret.

use std::collections::HashSet;

use account_model::features::accounts_without;
use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{Queryable, dsl::exists, prelude::*, select, sql_types::Bool, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::install_runs;
use serde_json::Value;
use shared::{
    catalogue::Feature,
    id::AccountId,
    schema::{
        automation_trigger_registrations as registrations, automations, extension_installs as installs,
        extension_versions,
    },
};
use uuid::Uuid;

/// Modes of triggers with a webhook.
const LISTENING: [&str; 2] = ["webhook", "both"];
/// Maximum number of installs whose nodes are listed.
const MAX_NODES: i64 = 1000;

/// An install whose version has a node.
#[derive(Debug, Queryable)]
pub(super) struct NodeRow {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub manifest: Value,
}

/// A trigger with a webhook.
#[derive(Debug, Queryable)]
pub(super) struct Webhook {
    pub id: Uuid,
    pub automation_id: Uuid,
    pub install_id: Uuid,
    pub extension_id: Uuid,
    /// Sealed secret; `None` until it is first requested.
    pub secret: Option<Vec<u8>>,
}

/// A trigger selected by the secret of a delivery.
#[derive(Debug, Queryable)]
pub(super) struct Named {
    pub id: Uuid,
    pub account_id: Uuid,
    pub secret_hash: Option<Vec<u8>>,
    /// True when the automation is enabled and the install runs.
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

/// Locks the install's first trigger of the automation with a webhook, an enabled one before a disabled one,
/// until the transaction ends.
pub(super) async fn lock_webhook(
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
    // Read under the lock: a concurrent request may have created the secret.
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

/// True when the install belongs to the extension.
pub(super) async fn is_install(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    install_id: Uuid,
) -> Result<bool> {
    let install =
        installs::table.filter(installs::id.eq(install_id).and(installs::extension_id.eq(extension_id)));
    Ok(select(exists(install)).get_result(connection).await?)
}

/// Trigger of a secret, if its node is still in the automation and the install belongs to the extension.
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
        .select((registrations::id, registrations::account_id, registrations::webhook_secret_hash, is_on))
        .first(connection)
        .await
        .optional()?)
}

/// Accounts for which `feature:automations` is off: their triggers are not called, because their runs would fail.
///
/// # Errors
/// A failure of the database.
pub(crate) async fn without_automations(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<HashSet<Uuid>> {
    Ok(accounts_without(connection, accounts, Feature::Automations.key()).await?)
}
