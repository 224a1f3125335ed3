//! Queries of trigger nodes, across all accounts.

use api_core::Result;
use chrono::{DateTime, Duration, Utc};
use diesel::{
    Insertable, Queryable,
    dsl::{count_star, sql},
    insert_into,
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
    automation_runs, automation_trigger_registrations as registrations, automations, extension_installs,
    extension_versions,
};
use uuid::Uuid;

/// Starts of an automation in a minute; further ones are skipped (reference/automations.md#starts).
const MAX_STARTS_PER_MINUTE: i64 = 60;

/// A trigger node that fires.
#[derive(Debug, Queryable)]
pub(super) struct Trigger {
    pub id: Uuid,
    pub account_id: Uuid,
    pub extension_id: Uuid,
    pub node_id: Uuid,
    pub manifest: Value,
    /// True when automation and registration are enabled and the install runs.
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

#[derive(Debug, Insertable)]
#[diesel(table_name = automation_runs)]
pub(super) struct NewRun {
    pub id: Uuid,
    pub account_id: Uuid,
    pub automation_id: Uuid,
    pub trigger: Value,
    pub dedupe_key: String,
    pub created_at: DateTime<Utc>,
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
    Ok(registrations::table
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
        .optional()?)
}

/// Writes the run and the trigger's state. After an earlier fire with the same key nothing is written,
/// because the stored state is that fire's or a later one.
pub(super) async fn start(
    connection: &mut AsyncPgConnection,
    run: NewRun,
    keep: Option<(Uuid, Value)>,
) -> Result<TriggerFired> {
    connection
        .transaction(async |connection| {
            // Locks the automation, so that counting and starting are one step.
            automations::table
                .find(run.automation_id)
                .select(automations::id)
                .for_no_key_update()
                .first::<Uuid>(connection)
                .await?;
            let of_automation = automation_runs::table.filter(
                automation_runs::account_id
                    .eq(run.account_id)
                    .and(automation_runs::automation_id.eq(run.automation_id)),
            );
            let earlier: Option<(Uuid, String)> = of_automation
                .filter(automation_runs::dedupe_key.eq(&run.dedupe_key))
                .select((automation_runs::id, automation_runs::status))
                .first(connection)
                .await
                .optional()?;
            if let Some((run_id, status)) = earlier {
                return Ok(TriggerFired { run_id, status });
            }
            let lately: i64 = of_automation
                .filter(automation_runs::created_at.gt(run.created_at - Duration::minutes(1)))
                .filter(automation_runs::status.ne("skipped"))
                .select(count_star())
                .first(connection)
                .await?;
            let status = if lately < MAX_STARTS_PER_MINUTE { "queued" } else { "skipped" };
            insert_into(automation_runs::table)
                .values((&run, automation_runs::status.eq(status)))
                .execute(connection)
                .await?;
            if let Some((id, state)) = &keep {
                keep_state(connection, *id, state, run.created_at).await?;
            }
            Ok(TriggerFired { run_id: run.id, status: status.to_owned() })
        })
        .await
}
