//! Queries of trigger nodes, across all accounts.

use std::collections::HashSet;

use api_core::Result;
use automation_model::runs::{self, NewRun};
use chrono::{DateTime, Utc};
use diesel::{
    Queryable,
    dsl::sql,
    prelude::*,
    sql_types::{Bool, Jsonb, Nullable},
    update,
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use extension_model::{
    feeds::{PollRegistration, TriggerFired},
    install_runs,
};
use serde_json::Value;
use shared::schema::{
    automation_trigger_registrations as registrations, automations, extension_installs, extension_versions,
};
use uuid::Uuid;

use crate::automations::without_automations;

/// A trigger node that fires.
#[derive(Debug, Queryable)]
pub(super) struct Trigger {
    pub id: Uuid,
    pub account_id: Uuid,
    pub extension_id: Uuid,
    pub node_id: Uuid,
    pub manifest: Value,
    /// True when automation and registration are enabled, the install runs and the account has the feature.
    pub is_on: bool,
}

#[derive(Debug, Queryable)]
struct Registration {
    id: Uuid,
    account_id: Uuid,
    automation_id: Uuid,
    node_id: Uuid,
    install_id: Uuid,
    poll_interval_seconds: i32,
    state: Option<Value>,
    config: Option<Value>,
}

/// Registrations to poll. With `brief`, state and configuration are not read, because they are large.
pub(super) async fn polls(
    connection: &mut AsyncPgConnection,
    after: Option<Uuid>,
    limit: i64,
    brief: bool,
) -> Result<Vec<PollRegistration>> {
    let (state, config) = if brief {
        ("NULL::jsonb", "NULL::jsonb")
    } else {
        ("automation_trigger_registrations.state", "automation_trigger_registrations.config")
    };
    let rows: Vec<Registration> = registrations::table
        .inner_join(automations::table)
        .inner_join(extension_installs::table)
        .filter(registrations::enabled.and(registrations::mode.eq_any(["polling", "both"])))
        .filter(automations::enabled)
        .filter(install_runs())
        .filter(registrations::id.gt(after.unwrap_or_default()))
        .order(registrations::id)
        .limit(limit)
        .select((
            registrations::id,
            registrations::account_id,
            registrations::automation_id,
            registrations::node_id,
            registrations::install_id,
            registrations::poll_interval_seconds,
            sql::<Nullable<Jsonb>>(state),
            sql::<Nullable<Jsonb>>(config),
        ))
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(PollRegistration::from).collect())
}

/// Removes the registrations of accounts without automations.
pub(super) async fn remove_switched_off(
    connection: &mut AsyncPgConnection,
    listed: &mut Vec<PollRegistration>,
) -> Result<()> {
    let accounts: HashSet<Uuid> = listed.iter().map(|registration| registration.account_id).collect();
    let off = without_automations(connection, &Vec::from_iter(accounts)).await?;
    listed.retain(|registration| !off.contains(&registration.account_id));
    Ok(())
}

impl From<Registration> for PollRegistration {
    fn from(row: Registration) -> Self {
        Self {
            id: row.id,
            account_id: row.account_id,
            automation_id: row.automation_id,
            node_id: row.node_id,
            install_id: row.install_id,
            poll_interval_seconds: row.poll_interval_seconds,
            state: row.state,
            config: row.config,
        }
    }
}

/// Stores the state. Returns the number of rows, 0 or 1.
pub(super) async fn keep_state(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    state: &Value,
    now: DateTime<Utc>,
) -> Result<usize> {
    Ok(update(registrations::table.find(id))
        .set((registrations::state.eq(state), registrations::updated_at.eq(now)))
        .execute(connection)
        .await?)
}

/// Trigger node of the install in the automation: the given registration, else the first one, an enabled one
/// before a disabled one.
pub(super) async fn trigger(
    connection: &mut AsyncPgConnection,
    install_id: Uuid,
    automation_id: Uuid,
    registration_id: Option<Uuid>,
) -> Result<Option<Trigger>> {
    let is_any = registration_id.is_none().into_sql::<Bool>();
    let found: Option<Trigger> = registrations::table
        .inner_join(automations::table)
        .inner_join(extension_installs::table)
        .inner_join(extension_versions::table.on(extension_versions::id.eq(extension_installs::version_id)))
        .filter(registrations::install_id.eq(install_id).and(registrations::automation_id.eq(automation_id)))
        .filter(extension_installs::account_id.eq(registrations::account_id))
        .filter(is_any.or(registrations::id.eq(registration_id.unwrap_or_default())))
        .order((registrations::enabled.desc(), registrations::created_at, registrations::id))
        .select((
            registrations::id,
            registrations::account_id,
            extension_installs::extension_id,
            registrations::node_id,
            extension_versions::manifest,
            registrations::enabled.and(automations::enabled).and(install_runs()),
        ))
        .first(connection)
        .await
        .optional()?;
    let Some(mut trigger) = found else { return Ok(None) };
    trigger.is_on &= without_automations(connection, &[trigger.account_id]).await?.is_empty();
    Ok(Some(trigger))
}

/// Starts the run and writes the trigger's state; `None` for an automation that is disabled or deleted. After an
/// earlier fire with the same key nothing is written, because the stored state is that fire's or a later one.
pub(super) async fn start(
    connection: &mut AsyncPgConnection,
    run: NewRun,
    keep: Option<(Uuid, Value)>,
) -> Result<Option<TriggerFired>> {
    connection
        .transaction(async |connection| {
            let now = run.now;
            let Some(started) = runs::start(connection, run).await? else { return Ok(None) };
            if started.is_new
                && let Some((id, state)) = &keep
            {
                keep_state(connection, *id, state, now).await?;
            }
            Ok(Some(TriggerFired { run_id: started.id, status: started.status }))
        })
        .await
}
