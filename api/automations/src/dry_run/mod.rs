//! Dry runs: a run of an automation without any effect (reference/automations.md#dry-run).

mod context;
mod db;
pub mod graphql;
mod outcomes;
mod permits;
pub mod rest;

use std::sync::Arc;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AccountFeatures, AnyOperation, Grants, account_features},
    graphql::Json,
    http::Permit,
};
use automation_model::machine::Machine;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use tokio::task::spawn_blocking;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    installed::InstalledNodes,
    runs::{AutomationStepStatus, trigger_node},
    stored,
};
use context::Cause;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&DRY_RUN_AUTOMATION];

/// Cause of a dry run: one of `input`, `event` and `event_id`, or none of them.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "input": { "name": "Ada" } }))]
pub struct DryRunAutomationInput {
    /// Payload of the trigger, at most 64 KiB of JSON.
    pub input: Option<Json>,
    /// Event with the keys of an event of the account, at most 64 KiB of JSON.
    pub event: Option<Json>,
    /// Event of the account that happened; needs `events:read` too.
    pub event_id: Option<Uuid>,
    /// Trigger node that starts; the first manual one when absent, else the first one.
    pub trigger_node_id: Option<Uuid>,
}

/// Ending of a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationDryRunStatus {
    /// No step failed, or its failure was handled.
    Succeeded,
    /// A step failed.
    Failed,
}

/// Outcome of a dry run.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationDryRun {
    /// Ending.
    pub status: AutomationDryRunStatus,
    /// Steps in their order.
    pub steps: Vec<AutomationDryRunStep>,
}

/// Step of a dry run.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationDryRunStep {
    /// Node.
    pub node_id: Uuid,
    /// State.
    pub status: AutomationStepStatus,
    /// Configuration with its templates filled in, cut at 16 KiB.
    pub input: Json,
    /// Output, cut at 16 KiB, or null.
    pub output: Option<Json>,
    /// Handle at which the run goes on. Null: `out`.
    pub branch: Option<String>,
    /// Effect that a run would have, or null.
    pub effect: Option<AutomationEffect>,
    /// Reason of a failure, or null.
    pub error: Option<String>,
}

/// Effect that a run would have.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationEffect {
    /// Name of the action, or `extension`.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub effect_type: String,
    /// Arguments without templates, cut at 16 KiB.
    pub arguments: Json,
}

pub static DRY_RUN_AUTOMATION: Operation<AccountCaller> =
    Operation::account("dryRunAutomation", AccountPermission::AutomationsExecute, Grants::Nothing)
        .feature(Feature::Automations)
        .not_idempotent("has no effect");

/// Runs an automation without any effect, and returns what each step would have done.
///
/// Drafts and disabled automations run too. Nothing is stored, sent or called: each effect is reported in
/// `effect` and its output is a sample. Delays do not wait, cooldowns let pass, `random` takes its first branch
/// of the highest weight, and nodes of extensions go on at `out`.
///
/// # Errors
/// Refusals of the access rule; 403 for `event_id` without `events:read`; 400 for more than one cause, a value
/// above 64 KiB, a graph that cannot run, and a dry run of more than 1,000 steps, 4 MiB or 2 s; 404 when the
/// account has no such automation or event, or the automation no such trigger node; 409 when the automation
/// has no trigger.
#[api_core::operation]
pub async fn dry_run_automation(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<DryRunAutomationInput>,
) -> Result<AutomationDryRun> {
    let caller = cx.authorize(&DRY_RUN_AUTOMATION).await?;
    if input.as_ref().is_ok_and(|input| input.event_id.is_some()) {
        cx.require(AccountPermission::EventsRead).await?;
        cx.check_feature(Feature::Events).await?;
    }
    let (id, input) = (id?, input?);
    let trigger = input.trigger_node_id;
    let cause = Cause::checked(input)?;
    let features = account_features(cx.state(), caller.account).await?;
    let permit = permits::permit(cx.state(), caller.account).await?;
    let machine = prepared(cx, &caller, (id, trigger), cause).await?;
    walk(machine, features, permit).await
}

/// Interpreter of the automation at the trigger node.
async fn prepared(
    cx: &Cx,
    caller: &AccountCaller,
    (id, trigger): (Uuid, Option<Uuid>),
    cause: Cause,
) -> Result<Machine> {
    let account = caller.account;
    let (graph, node_type, trigger, about) = {
        let connection = &mut *caller.db().await?;
        stored::find(connection, account, id).await?;
        let graph = stored::graph_of(connection, account, id).await?;
        let installed = InstalledNodes::of_graph(connection, account, &graph).await?;
        let node = trigger_node(&graph, &installed, trigger)?;
        let (node_type, trigger) = (node.r#type.clone(), node.id);
        (graph, node_type, trigger, db::about(connection, account).await?)
    };
    let event = cause.event_of(caller).await?;
    let start = context::start((trigger, &node_type), event, about, cx.state().clock.now());
    Machine::new(graph, start).map_err(|error| {
        ApiError::invalid("Graph is not valid").with_details(json!({
            "nodes": [{ "node_id": null, "edge_id": null, "message": error }],
        }))
    })
}

/// Plays the interpreter on a thread that serves no other requests. The permit is released when it has ended, also
/// when the caller is gone before.
async fn walk(machine: Machine, features: Arc<AccountFeatures>, permit: Permit) -> Result<AutomationDryRun> {
    let playing = spawn_blocking(move || {
        let _permit = permit;
        outcomes::play(machine, &features)
    });
    playing.await.map_err(ApiError::internal)?
}
