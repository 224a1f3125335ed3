//! GraphQL fields of `deliveries`.

use api_core::{Cx, Result, graphql_cursor_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{WebhookDeliveriesQuery, WebhookDelivery, WebhookDeliveryStatus};

/// Query fields.
pub struct WebhookDeliveryQueries;
/// Mutation fields.
pub struct WebhookDeliveryMutations;

graphql_cursor_page! {
    /// Page of deliveries.
    WebhookDeliveryPage of WebhookDelivery
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WebhookDeliveryQueries {
    async fn webhook_deliveries(
        ctx: &Cx,
        endpoint_id: Uuid,
        status: Option<WebhookDeliveryStatus>,
        event_type: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<WebhookDeliveryPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = WebhookDeliveriesQuery { status, event_type, page, limit, cursor };
        Ok(super::webhook_deliveries(ctx, Ok(endpoint_id), Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WebhookDeliveryMutations {
    async fn test_webhook_endpoint(ctx: &Cx, endpoint_id: Uuid) -> Result<WebhookDelivery> {
        super::test_webhook_endpoint(ctx, Ok(endpoint_id)).await
    }

    async fn replay_webhook_delivery(
        ctx: &Cx,
        endpoint_id: Uuid,
        delivery_id: Uuid,
    ) -> Result<WebhookDelivery> {
        super::replay_webhook_delivery(ctx, Ok(endpoint_id), Ok(delivery_id)).await
    }
}
