//! Payouts over REST.

use actix_web::{HttpRequest, Responder, get, patch};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, paged, path_uuid, single},
};

use super::{AdminPayout, AdminUpdatePayoutInput, PayoutQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_payouts);
    config.service(admin_update_payout);
}

#[utoipa::path(tag = "billing", operation_id = "adminPayouts", params(PayoutQuery),
    responses((status = 200, body = Collection<AdminPayout>)))]
#[get("/v1/admin/payouts")]
async fn admin_payouts(cx: Cx, request: HttpRequest, query: QueryOf<PayoutQuery>) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_payouts(&cx, query.0).await?))
}

#[utoipa::path(tag = "billing", operation_id = "adminUpdatePayout", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpdatePayoutInput, responses((status = 200, body = Enveloped<AdminPayout>)))]
#[patch("/v1/admin/payouts/{id}")]
async fn admin_update_payout(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdatePayoutInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_update_payout(&cx, id, input.0).await?))
}
