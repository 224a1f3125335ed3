//! GraphQL fields of `node_types`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::AutomationNodeTypeEntry;

/// Query fields.
pub struct AutomationNodeTypeQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AutomationNodeTypeQueries {
    async fn automation_node_types(ctx: &Cx) -> Result<Vec<AutomationNodeTypeEntry>> {
        super::automation_node_types(ctx).await
    }
}
