//! Subscriptions over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Collection, QueryOf, ServiceConfig, paged},
};

use super::{AdminSubscription, SubscriptionQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_subscriptions);
}

#[utoipa::path(tag = "billing", operation_id = "adminSubscriptions", params(SubscriptionQuery),
    responses((status = 200, body = Collection<AdminSubscription>)))]
#[get("/v1/admin/subscriptions")]
async fn admin_subscriptions(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<SubscriptionQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_subscriptions(&cx, query.0).await?))
}
