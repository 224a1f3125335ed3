//! Change of the plan over REST.

use actix_web::{HttpRequest, Responder, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::ChangePlanInput;
use crate::status::BillingStatus;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(change_plan);
}

#[utoipa::path(tag = "billing", operation_id = "changePlan", request_body = ChangePlanInput,
    responses((status = 200, body = Enveloped<BillingStatus>), (status = 404)))]
#[put("/v1/billing/plan")]
async fn change_plan(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ChangePlanInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::change_plan(&cx, input.0).await?))
}
