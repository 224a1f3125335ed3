//! GraphQL fields of `dry_run`.

use api_core::{Cx, Result, graphql::Json};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AutomationDryRun, DryRunAutomationInput};

/// Mutation fields.
pub struct AutomationDryRunMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AutomationDryRunMutations {
    async fn dry_run_automation(
        ctx: &Cx,
        id: Uuid,
        input: Option<Json>,
        event: Option<Json>,
        event_id: Option<Uuid>,
        trigger_node_id: Option<Uuid>,
    ) -> Result<AutomationDryRun> {
        let input = DryRunAutomationInput { input, event, event_id, trigger_node_id };
        super::dry_run_automation(ctx, Ok(id), Ok(input)).await
    }
}
