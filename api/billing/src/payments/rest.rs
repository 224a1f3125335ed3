//! Payment operations over REST.

use actix_web::{HttpRequest, Responder, get, post, web::Path};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, single},
};

use super::{CheckoutSession, CouponValidation, CreateCheckoutInput, Invoice, PortalSession};
use crate::status::BillingStatus;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(create_checkout);
    config.service(create_portal);
    config.service(cancel_subscription);
    config.service(invoices);
    config.service(validate_coupon);
}

#[utoipa::path(tag = "billing", operation_id = "createCheckout", request_body = CreateCheckoutInput,
    responses((status = 200, body = Enveloped<CheckoutSession>)))]
#[post("/v1/billing/checkout")]
async fn create_checkout(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateCheckoutInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::create_checkout(&cx, input.0).await?))
}

#[utoipa::path(tag = "billing", operation_id = "createPortal",
    responses((status = 200, body = Enveloped<PortalSession>), (status = 400)))]
#[post("/v1/billing/portal")]
async fn create_portal(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::create_portal(&cx).await?))
}

#[utoipa::path(tag = "billing", operation_id = "cancelSubscription",
    responses((status = 200, body = Enveloped<BillingStatus>), (status = 400)))]
#[post("/v1/billing/cancel")]
async fn cancel_subscription(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::cancel_subscription(&cx).await?))
}

#[utoipa::path(tag = "billing", operation_id = "invoices", responses((status = 200, body = Listed<Invoice>), (status = 400)))]
#[get("/v1/billing/invoices")]
async fn invoices(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::invoices(&cx).await?))
}

#[utoipa::path(tag = "billing", operation_id = "validateCoupon", params(("code" = String, Path)),
    responses((status = 200, body = Enveloped<CouponValidation>)))]
#[get("/v1/billing/coupons/{code}")]
async fn validate_coupon(cx: Cx, request: HttpRequest, code: Path<String>) -> Result<impl Responder> {
    Ok(single(&request, super::validate_coupon(&cx, Ok(code.into_inner())).await?))
}
