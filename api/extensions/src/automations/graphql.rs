//! Automation nodes and webhooks over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AutomationWebhook, ExtensionAutomationNode};

/// Queries of automation nodes.
pub struct AutomationNodeQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AutomationNodeQueries {
    async fn installed_automation_nodes(ctx: &Cx) -> Result<Vec<ExtensionAutomationNode>> {
        super::installed_automation_nodes(ctx).await
    }

    async fn automation_webhook_url(
        ctx: &Cx,
        install_id: Uuid,
        automation_id: Uuid,
    ) -> Result<AutomationWebhook> {
        super::automation_webhook_url(ctx, Ok(install_id), Ok(automation_id)).await
    }
}
