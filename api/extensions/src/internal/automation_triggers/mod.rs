//! Trigger nodes of extensions: polls, state and fires (reference/automations.md#trigger-result).

mod db;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, System},
    page::checked_limit,
    validate::text,
};
use automation_model::runs::NewRun;
use chrono::{DateTime, Utc};
use extension_model::{
    Manifest,
    feeds::{
        ErrorRecord, FireTrigger, MAX_DEDUPE_KEY_LENGTH, MAX_TRIGGER_VALUE_BYTES, PollFeed, PollState,
        TelemetryBatch, TriggerFired,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::id;
use uuid::Uuid;

use super::telemetry;

const MAX_PAGE_SIZE: i64 = 10_000;
const NO_TRIGGER: &str = "Automation trigger not found";

/// Page of the poll registrations.
#[derive(Debug, Clone, Copy, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PollsQuery {
    /// 1 to 10,000; 10,000 when absent.
    #[param(minimum = 1, maximum = 10000)]
    pub limit: Option<i64>,
    /// `next` of the page before.
    pub after: Option<Uuid>,
    /// True to leave out state and configuration; false when absent.
    #[serde(default)]
    pub brief: bool,
}

pub static INTERNAL_AUTOMATION_POLLS: Operation<System> =
    Operation::internal("internalAutomationPolls", Grants::Nothing);

/// Lists the trigger nodes to poll, by id.
///
/// The list holds nodes of enabled automations whose install runs.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a limit out of bounds.
#[api_core::operation]
pub async fn internal_automation_polls(cx: &Cx, query: Input<PollsQuery>) -> Result<PollFeed> {
    let system = cx.authorize(&INTERNAL_AUTOMATION_POLLS).await?;
    let query = query?;
    let limit = checked_limit(query.limit, MAX_PAGE_SIZE, MAX_PAGE_SIZE)?;
    let mut connection = system.db().await?;
    let mut registrations = db::polls(&mut connection, query.after, limit + 1, query.brief).await?;
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = registrations.len() > page;
    registrations.truncate(page);
    let next = registrations.last().map(|last| last.id).filter(|_| more);
    db::remove_switched_off(&mut connection, &mut registrations).await?;
    Ok(PollFeed { next, registrations })
}

pub static INTERNAL_AUTOMATION_TRIGGER_STATE: Operation<System> =
    Operation::internal("internalAutomationTriggerState", Grants::Nothing);

/// Stores the state of a trigger for its handler's next call.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 above 64 KiB.
/// - 404 for an unknown registration.
#[api_core::operation]
pub async fn internal_automation_trigger_state(
    cx: &Cx,
    id: Input<Uuid>,
    state: Input<PollState>,
) -> Result<()> {
    let system = cx.authorize(&INTERNAL_AUTOMATION_TRIGGER_STATE).await?;
    let (id, PollState { state }) = (id?, state?);
    not_larger("state", &state)?;
    let now = cx.state().clock.now();
    match db::keep_state(&mut *system.db().await?, id, &state, now).await? {
        0 => Err(ApiError::not_found(NO_TRIGGER)),
        _ => Ok(()),
    }
}

pub static INTERNAL_FIRE_AUTOMATION_TRIGGER: Operation<System> =
    Operation::internal("internalFireAutomationTrigger", Grants::Nothing)
        .not_idempotent("has a key of its own in the body");

/// Starts a run of an automation from a fired trigger, once for each key.
///
/// A repeated key returns the run of the first fire. Above 60 starts of the automation in a minute the run is
/// `skipped`. The trigger's state is stored in the transaction that starts the run. An output that does not
/// fit the manifest's schema starts nothing and leaves the runtime error `OUTPUT_SCHEMA_MISMATCH` for the
/// extension's developer.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a field out of bounds, and for an output that does not fit the schema.
/// - 404 when the install has no trigger in the automation.
/// - 409 when the automation, the trigger or the install is switched off.
#[api_core::operation]
pub async fn internal_fire_automation_trigger(cx: &Cx, fire: Input<FireTrigger>) -> Result<TriggerFired> {
    let system = cx.authorize(&INTERNAL_FIRE_AUTOMATION_TRIGGER).await?;
    let fire = fire?;
    let dedupe_key = text("dedupe_key", &fire.dedupe_key, 1, MAX_DEDUPE_KEY_LENGTH)?;
    not_larger("output", &fire.output)?;
    if let Some(kept) = &fire.keep {
        not_larger("keep.state", &kept.state)?;
    }
    let mut connection = system.db().await?;
    let trigger = db::trigger(&mut connection, fire.install_id, fire.automation_id, fire.registration_id)
        .await?
        .ok_or_else(|| ApiError::not_found(NO_TRIGGER))?;
    if !trigger.is_on {
        return Err(switched_off());
    }
    // A version without a node cannot fire.
    let node = Manifest::stored(trigger.manifest)?.automation_node;
    let node = node.ok_or_else(|| ApiError::not_found(NO_TRIGGER))?;
    if let Err(misfit) = fits(&node.output_schema, &fire.output) {
        drop(connection);
        let installs = [(fire.install_id, (trigger.extension_id, trigger.account_id))].into();
        let record = mismatch(fire.install_id, node.handler, &misfit, cx.state().clock.now());
        let batch = TelemetryBatch { errors: vec![record], logs: Vec::new(), invocations: Vec::new() };
        telemetry::store(&mut *system.timeseries().await?, batch, &installs).await?;
        return Err(ApiError::invalid(format!("output does not fit the output schema: {misfit}")));
    }
    let run = NewRun {
        account: trigger.account_id,
        automation: fire.automation_id,
        trigger: json!({ "node_id": trigger.node_id, "type": "extension", "payload": fire.output }),
        context: json!({}),
        dedupe_key,
        depth: 0,
        parent_run_id: None,
        is_test: false,
        now: cx.state().clock.now(),
    };
    let keep = fire.keep.map(|kept| (trigger.id, kept.state));
    db::start(&mut connection, run, keep).await?.ok_or_else(switched_off)
}

fn switched_off() -> ApiError {
    ApiError::conflict("The automation trigger is switched off")
}

fn not_larger(field: &str, value: &Value) -> Result<()> {
    if value.to_string().len() > MAX_TRIGGER_VALUE_BYTES {
        return Err(ApiError::invalid(format!("{field} must not be larger than 64 KiB")));
    }
    Ok(())
}

/// Validates an output against the manifest's schema, if it has one. Its keywords were checked at upload;
/// none of them loads anything.
fn fits(schema: &Value, output: &Value) -> std::result::Result<(), String> {
    if schema.is_null() {
        return Ok(());
    }
    let validator = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
    validator.validate(output).map_err(|error| format!("{error} at {}", place(&error)))
}

/// Position in the output as a JSON pointer; `/` for the whole.
fn place(error: &jsonschema::ValidationError<'_>) -> String {
    let pointer = error.instance_path().to_string();
    if pointer.is_empty() { "/".to_owned() } else { pointer }
}

/// Runtime error for the extension's developer.
fn mismatch(install_id: Uuid, handler: String, misfit: &str, occurred_at: DateTime<Utc>) -> ErrorRecord {
    ErrorRecord {
        id: id::new(),
        install_id,
        handler,
        error_type: "OUTPUT_SCHEMA_MISMATCH".to_owned(),
        message: misfit.chars().take(1_000).collect(),
        stack_trace: None,
        occurred_at,
    }
}
