//! GraphQL fields of `graphs`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AutomationEdgeInput, AutomationEdgesInput, AutomationNodeInput, AutomationNodesInput,
    UpdateAutomationGraphInput,
};
use crate::objects::Automation;

/// Mutation fields.
pub struct AutomationGraphMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AutomationGraphMutations {
    async fn update_automation_graph(
        ctx: &Cx,
        id: Uuid,
        version: i32,
        nodes: Vec<AutomationNodeInput>,
        edges: Vec<AutomationEdgeInput>,
    ) -> Result<Automation> {
        let input = UpdateAutomationGraphInput { version, nodes, edges };
        super::update_automation_graph(ctx, Ok(id), Ok(input)).await
    }

    async fn update_automation_nodes(
        ctx: &Cx,
        id: Uuid,
        version: i32,
        nodes: Vec<AutomationNodeInput>,
    ) -> Result<Automation> {
        super::update_automation_nodes(ctx, Ok(id), Ok(AutomationNodesInput { version, nodes })).await
    }

    async fn update_automation_edges(
        ctx: &Cx,
        id: Uuid,
        version: i32,
        edges: Vec<AutomationEdgeInput>,
    ) -> Result<Automation> {
        super::update_automation_edges(ctx, Ok(id), Ok(AutomationEdgesInput { version, edges })).await
    }
}
