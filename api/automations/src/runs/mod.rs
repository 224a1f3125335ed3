//! Runs of automations: their history, starts by hand, and cancellation (reference/automations.md#runs).

mod cancel;
mod db;
mod execute;
pub mod graphql;
pub mod rest;

use api_core::{
    CursorPage, CursorRequest, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Json,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::catalogue::{AccountPermission, Feature};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::stored;

pub(crate) use execute::{checked_value, trigger_node};

pub use cancel::{CANCEL_AUTOMATION_RUN, cancel_automation_run};
pub use execute::{
    AutomationExecution, EXECUTE_AUTOMATION, ExecuteAutomationInput, MAX_INPUT_BYTES, execute_automation,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXECUTE_AUTOMATION, &AUTOMATION_RUNS, &AUTOMATION_RUN, &CANCEL_AUTOMATION_RUN];

/// Maximum number of steps that a run is returned with, its last ones (reference/automations.md#runs).
const MAX_LISTED_STEPS: i64 = 200;

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationRunStatus {
    /// Waits for its begin.
    Queued,
    /// Has begun.
    Running,
    /// Ended without a failure that was not handled.
    Succeeded,
    /// A step failed.
    Failed,
    /// Was cancelled.
    Cancelled,
    /// Never begins, because the automation was started too often.
    Skipped,
}

/// State of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationStepStatus {
    /// Has begun.
    Running,
    /// Done.
    Succeeded,
    /// Failed.
    Failed,
    /// A process ended within the step: its effect may have happened.
    Unknown,
    /// The run was cancelled.
    Cancelled,
}

/// Run of an automation without its steps.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationRunSummary {
    /// Identifier.
    pub id: Uuid,
    /// Automation.
    pub automation_id: Uuid,
    /// State.
    pub status: AutomationRunStatus,
    /// Cause: `node_id`, `type` and `payload`.
    pub trigger: Json,
    /// True for a run that a test event started.
    pub is_test: bool,
    /// Run that started this one, or null.
    pub parent_run_id: Option<Uuid>,
    /// Reason of a failure, or null.
    pub error: Option<String>,
    /// Time of the start.
    pub created_at: Timestamp,
    /// Time of the begin, or null.
    pub started_at: Option<Timestamp>,
    /// Time of the end, or null.
    pub finished_at: Option<Timestamp>,
}

/// Run of an automation with its steps.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationRun {
    /// Identifier.
    pub id: Uuid,
    /// Automation.
    pub automation_id: Uuid,
    /// State.
    pub status: AutomationRunStatus,
    /// Cause: `node_id`, `type` and `payload`.
    pub trigger: Json,
    /// True for a run that a test event started.
    pub is_test: bool,
    /// Run that started this one, or null.
    pub parent_run_id: Option<Uuid>,
    /// Reason of a failure, or null.
    pub error: Option<String>,
    /// Time of the start.
    pub created_at: Timestamp,
    /// Time of the begin, or null.
    pub started_at: Option<Timestamp>,
    /// Time of the end, or null.
    pub finished_at: Option<Timestamp>,
    /// Number of steps.
    pub step_count: i32,
    /// Steps in their order: the last 200.
    pub steps: Vec<AutomationStep>,
}

/// Step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationStep {
    /// Number of the step, from 0.
    pub position: i32,
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
    /// Reason of a failure, or null.
    pub error: Option<String>,
    /// Time of the begin.
    pub started_at: Timestamp,
    /// Length in milliseconds. Null until the end.
    pub duration_ms: Option<i32>,
}

/// Query of the runs of an automation.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AutomationRunsQuery {
    /// State; every state when absent.
    pub status: Option<AutomationRunStatus>,
    /// Page number, from 1; 1 when absent. Not with `cursor`.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
    /// Cursor of the page before, from its `Link` or `nextCursor`.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

pub static AUTOMATION_RUNS: Operation<AccountCaller> =
    Operation::account("automationRuns", AccountPermission::AutomationsRead, Grants::Nothing)
        .feature(Feature::Automations)
        .polled();

/// Lists the runs of an automation without their steps, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or a page out of bounds; 404 when the account has no
/// such automation.
#[api_core::operation]
pub async fn automation_runs(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<AutomationRunsQuery>,
) -> Result<CursorPage<AutomationRunSummary>> {
    let caller = cx.authorize(&AUTOMATION_RUNS).await?;
    let (id, query) = (id?, query?);
    let wanted = (id, query.status);
    let request = CursorRequest::new(query.page, query.limit, query.cursor);
    let part = request.check(cx, &AUTOMATION_RUNS, &wanted)?;
    let connection = &mut *caller.db().await?;
    stored::find(connection, caller.account, id).await?;
    db::page(connection, caller.account, wanted, part).await
}

pub static AUTOMATION_RUN: Operation<AccountCaller> =
    Operation::account("automationRun", AccountPermission::AutomationsRead, Grants::Nothing)
        .feature(Feature::Automations)
        .polled();

/// Returns a run of an automation of the account, with its steps.
///
/// Of a run with more than 200 steps the last 200 are returned; `step_count` is the number of all.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such run.
#[api_core::operation]
pub async fn automation_run(cx: &Cx, run_id: Input<Uuid>) -> Result<AutomationRun> {
    let caller = cx.authorize(&AUTOMATION_RUN).await?;
    let run = run_id?;
    db::find(&mut *caller.db().await?, caller.account, run).await
}

impl AutomationRunStatus {
    const ALL: [Self; 6] =
        [Self::Queued, Self::Running, Self::Succeeded, Self::Failed, Self::Cancelled, Self::Skipped];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

impl AutomationStepStatus {
    const ALL: [Self; 5] = [Self::Running, Self::Succeeded, Self::Failed, Self::Unknown, Self::Cancelled];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Cancelled => "cancelled",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}
