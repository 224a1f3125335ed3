//! Starts of automations by hand (reference/automations.md#manual-runs).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants},
    graphql::Json,
};
use automation_model::{
    graph::{Graph, Node},
    node_types::Kind,
    runs::{NewRun, start},
    starts::{context, trigger_value},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Feature},
    id,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{installed::InstalledNodes, stored};

/// Maximum size of the input of a run, in bytes of JSON (reference/automations.md#manual-runs).
pub const MAX_INPUT_BYTES: usize = 64 * 1024;
/// Type of the nodes that are started by hand first.
const MANUAL: &str = "manual";

/// Start of an automation by hand.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "input": { "name": "Ada" } }))]
pub struct ExecuteAutomationInput {
    /// Payload of the trigger, at most 64 KiB of JSON; null when absent.
    pub input: Option<Json>,
    /// Trigger node that starts; the first manual one when absent, else the first one.
    pub trigger_node_id: Option<Uuid>,
}

/// Started run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AutomationExecution {
    /// Identifier of the run.
    pub run_id: Uuid,
}

pub static EXECUTE_AUTOMATION: Operation<AccountCaller> =
    Operation::account("executeAutomation", AccountPermission::AutomationsExecute, Grants::Nothing)
        .feature(Feature::Automations)
        .idempotent();

/// Starts an automation by hand.
///
/// The run is queued; `automationRun` returns its state. Beyond 60 starts of the automation in a minute it is
/// `skipped`.
///
/// # Errors
/// Refusals of the access rule; 400 for an input above 64 KiB; 404 when the account has no such automation, or
/// the automation no such trigger node; 409 when the automation is disabled or has no trigger.
#[api_core::operation]
pub async fn execute_automation(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<ExecuteAutomationInput>,
) -> Result<AutomationExecution> {
    let caller = cx.authorize(&EXECUTE_AUTOMATION).await?;
    let (id, ExecuteAutomationInput { input, trigger_node_id }) = (id?, input?);
    let payload = checked_value("input", input)?;
    let (account, now) = (caller.account, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = stored::lock(connection, account, id).await?;
            let graph = stored::graph_of(connection, account, id).await?;
            let installed = InstalledNodes::of_graph(connection, account, &graph).await?;
            let trigger = trigger_node(&graph, &installed, trigger_node_id)?;
            if !row.enabled {
                return Err(disabled());
            }
            let run = NewRun {
                account: account.uuid(),
                automation: id,
                trigger: trigger_value(trigger.id, &trigger.r#type, payload),
                context: context(Value::Null, Value::Null),
                dedupe_key: format!("manual:{}", id::new()),
                depth: 0,
                parent_run_id: None,
                is_test: false,
                now,
            };
            let started = start(connection, run).await?.ok_or_else(disabled)?;
            let metadata = json!({ "run_id": started.id, "status": started.status });
            let entry = Entry { metadata, ..cx.audit("automation:executed", "automation", id) };
            audit::record(connection, entry).await?;
            Ok(AutomationExecution { run_id: started.id })
        })
        .await
}

fn disabled() -> ApiError {
    ApiError::conflict("Automation is disabled")
}

/// Value of at most 64 KiB; null when absent.
///
/// # Errors
/// 400 that names the field.
pub(crate) fn checked_value(field: &str, given: Option<Json>) -> Result<Value> {
    let value = given.map_or(Value::Null, |given| given.0);
    let text = value.to_string();
    if text.contains("\\u0000") {
        return Err(ApiError::invalid(format!("{field} must not contain the character NUL")));
    }
    if text.len() > MAX_INPUT_BYTES {
        return Err(ApiError::invalid(format!("{field} must have at most {MAX_INPUT_BYTES} bytes of JSON")));
    }
    Ok(value)
}

/// Trigger node that a run begins at: the named one, else the first manual one, else the first one.
///
/// # Errors
/// 404 for a node that is no trigger of the graph; 409 for a graph without a trigger.
pub(crate) fn trigger_node<'a>(
    graph: &'a Graph,
    installed: &InstalledNodes,
    named: Option<Uuid>,
) -> Result<&'a Node> {
    let mut triggers = graph.nodes.iter().filter(|node| installed.kind_of(node) == Some(Kind::Trigger));
    if let Some(id) = named {
        return triggers
            .find(|node| node.id == id)
            .ok_or_else(|| ApiError::not_found("Trigger node not found"));
    }
    let first = triggers.clone().next();
    let manual = triggers.find(|node| node.r#type == MANUAL);
    manual.or(first).ok_or_else(|| ApiError::conflict("Automation has no trigger"))
}
