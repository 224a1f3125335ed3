//! GraphQL fields of `automations`.

use api_core::{Cx, Patch, Result};
use juniper::{GraphQLInputObject, graphql_object};
use uuid::Uuid;

use super::{AutomationChanges, CreateAutomationInput};
use crate::objects::{Automation, AutomationSummary};

/// Query fields.
pub struct AutomationQueries;
/// Mutation fields.
pub struct AutomationMutations;

/// Changes of an automation. Absent fields stay.
#[derive(GraphQLInputObject)]
pub struct UpdateAutomationInput {
    /// Automation.
    id: Uuid,
    /// 1 to 100 characters.
    name: Patch<String>,
    /// At most 500 characters; null or empty removes it.
    description: Patch<String>,
    /// True starts it by its triggers; its graph must be able to run.
    enabled: Patch<bool>,
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AutomationQueries {
    async fn automations(ctx: &Cx) -> Result<Vec<AutomationSummary>> {
        super::automations(ctx).await
    }

    async fn automation(ctx: &Cx, id: Uuid) -> Result<Automation> {
        super::automation(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AutomationMutations {
    async fn create_automation(ctx: &Cx, input: CreateAutomationInput) -> Result<Automation> {
        super::create_automation(ctx, Ok(input)).await
    }

    async fn update_automation(ctx: &Cx, input: UpdateAutomationInput) -> Result<Automation> {
        let UpdateAutomationInput { id, name, description, enabled } = input;
        let changes = AutomationChanges { name, description, enabled };
        super::update_automation(ctx, Ok(id), Ok(changes)).await
    }

    async fn delete_automation(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_automation(ctx, Ok(id)).await.map(|()| true)
    }

    async fn duplicate_automation(ctx: &Cx, id: Uuid) -> Result<Automation> {
        super::duplicate_automation(ctx, Ok(id)).await
    }
}
