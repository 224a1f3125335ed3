//! GraphQL fields of `runs`.

use api_core::{Cx, Result, graphql::Json, graphql_cursor_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AutomationExecution, AutomationRun, AutomationRunStatus, AutomationRunSummary, AutomationRunsQuery,
    ExecuteAutomationInput,
};

/// Query fields.
pub struct AutomationRunQueries;
/// Mutation fields.
pub struct AutomationRunMutations;

graphql_cursor_page! {
    /// Page of runs.
    AutomationRunPage of AutomationRunSummary
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AutomationRunQueries {
    async fn automation_runs(
        ctx: &Cx,
        id: Uuid,
        status: Option<AutomationRunStatus>,
        page: Option<i32>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<AutomationRunPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = AutomationRunsQuery { status, page, limit, cursor };
        Ok(super::automation_runs(ctx, Ok(id), Ok(query)).await?.into())
    }

    async fn automation_run(ctx: &Cx, run_id: Uuid) -> Result<AutomationRun> {
        super::automation_run(ctx, Ok(run_id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AutomationRunMutations {
    async fn execute_automation(
        ctx: &Cx,
        id: Uuid,
        input: Option<Json>,
        trigger_node_id: Option<Uuid>,
    ) -> Result<AutomationExecution> {
        let input = ExecuteAutomationInput { input, trigger_node_id };
        super::execute_automation(ctx, Ok(id), Ok(input)).await
    }

    async fn cancel_automation_run(ctx: &Cx, run_id: Uuid) -> Result<AutomationRun> {
        super::cancel_automation_run(ctx, Ok(run_id)).await
    }
}
