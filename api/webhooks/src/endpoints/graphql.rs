//! GraphQL fields of `endpoints`.

use api_core::{Cx, Patch, Result};
use juniper::{GraphQLInputObject, graphql_object};
use uuid::Uuid;

use super::{CreateWebhookEndpointInput, CreatedWebhookEndpoint, WebhookEndpoint, WebhookEndpointChanges};

/// Query fields.
pub struct WebhookEndpointQueries;
/// Mutation fields.
pub struct WebhookEndpointMutations;

/// Changes of an endpoint. Absent fields stay.
#[derive(GraphQLInputObject)]
pub struct UpdateWebhookEndpointInput {
    /// Endpoint.
    endpoint_id: Uuid,
    /// Address that begins with `https://` and is on the public internet, without user name, password and fragment.
    url: Patch<String>,
    /// At most 200 characters; null or empty removes it.
    description: Patch<String>,
    /// 1 to 50 types of the catalogue, `custom:{name}`, `chat:message`, or `*` for every type except
    /// `chat:message`.
    event_types: Patch<Vec<String>>,
    /// False: it gets no further events. True: what waits is sent.
    is_enabled: Patch<bool>,
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WebhookEndpointQueries {
    async fn webhook_endpoints(ctx: &Cx) -> Result<Vec<WebhookEndpoint>> {
        super::webhook_endpoints(ctx).await
    }

    async fn webhook_endpoint(ctx: &Cx, endpoint_id: Uuid) -> Result<WebhookEndpoint> {
        super::webhook_endpoint(ctx, Ok(endpoint_id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WebhookEndpointMutations {
    async fn create_webhook_endpoint(
        ctx: &Cx,
        input: CreateWebhookEndpointInput,
    ) -> Result<CreatedWebhookEndpoint> {
        super::create_webhook_endpoint(ctx, Ok(input)).await
    }

    async fn update_webhook_endpoint(ctx: &Cx, input: UpdateWebhookEndpointInput) -> Result<WebhookEndpoint> {
        let UpdateWebhookEndpointInput { endpoint_id, url, description, event_types, is_enabled } = input;
        let changes = WebhookEndpointChanges { url, description, event_types, is_enabled };
        super::update_webhook_endpoint(ctx, Ok(endpoint_id), Ok(changes)).await
    }

    async fn delete_webhook_endpoint(ctx: &Cx, endpoint_id: Uuid) -> Result<bool> {
        super::delete_webhook_endpoint(ctx, Ok(endpoint_id)).await.map(|()| true)
    }
}
