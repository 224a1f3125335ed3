//! GraphQL fields of `secrets`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::WebhookSecret;

/// Query fields.
pub struct WebhookSecretQueries;
/// Mutation fields.
pub struct WebhookSecretMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WebhookSecretQueries {
    async fn webhook_secret(ctx: &Cx, endpoint_id: Uuid) -> Result<WebhookSecret> {
        super::webhook_secret(ctx, Ok(endpoint_id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WebhookSecretMutations {
    async fn rotate_webhook_secret(ctx: &Cx, endpoint_id: Uuid) -> Result<WebhookSecret> {
        super::rotate_webhook_secret(ctx, Ok(endpoint_id)).await
    }
}
