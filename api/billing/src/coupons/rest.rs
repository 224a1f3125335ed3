//! Coupons over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged, path_uuid, single},
};

use super::{AdminCreateCouponInput, AdminUpdateCouponInput, Coupon, CouponQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_coupons);
    config.service(admin_create_coupon);
    config.service(admin_update_coupon);
    config.service(admin_deactivate_coupon);
}

#[utoipa::path(tag = "billing", operation_id = "adminCoupons", params(CouponQuery),
    responses((status = 200, body = Collection<Coupon>)))]
#[get("/v1/admin/coupons")]
async fn admin_coupons(cx: Cx, request: HttpRequest, query: QueryOf<CouponQuery>) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_coupons(&cx, query.0).await?))
}

#[utoipa::path(tag = "billing", operation_id = "adminCreateCoupon", request_body = AdminCreateCouponInput,
    responses((status = 201, body = Enveloped<Coupon>)))]
#[post("/v1/admin/coupons")]
async fn admin_create_coupon(cx: Cx, input: JsonBody<AdminCreateCouponInput>) -> Result<HttpResponse> {
    let coupon = super::admin_create_coupon(&cx, input.0).await?;
    Ok(created(format!("/v1/admin/coupons/{}", coupon.id), coupon))
}

#[utoipa::path(tag = "billing", operation_id = "adminUpdateCoupon", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpdateCouponInput, responses((status = 200, body = Enveloped<Coupon>)))]
#[patch("/v1/admin/coupons/{id}")]
async fn admin_update_coupon(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdateCouponInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_update_coupon(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "billing", operation_id = "adminDeactivateCoupon", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/coupons/{id}")]
async fn admin_deactivate_coupon(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_deactivate_coupon(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
