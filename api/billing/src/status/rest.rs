//! Billing status over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Enveloped, Listed, ServiceConfig, listed, single},
};

use super::{BillingStatus, PlanLimit};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(billing_status);
    config.service(plan_limits);
}

#[utoipa::path(tag = "billing", operation_id = "billingStatus",
    responses((status = 200, body = Enveloped<BillingStatus>)))]
#[get("/v1/billing/status")]
async fn billing_status(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::billing_status(&cx).await?))
}

#[utoipa::path(tag = "billing", operation_id = "planLimits", responses((status = 200, body = Listed<PlanLimit>)))]
#[get("/v1/billing/limits")]
async fn plan_limits(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::plan_limits(&cx).await?))
}
