//! Route of the page.

use actix_web::{HttpRequest, HttpResponse, get, http::header, web::Data};
use api_core::{
    Result, State,
    http::{ServiceConfig, holds},
    webhooks::anonymous_cx,
};

use super::Page;

/// Features of the browser, none of which the page uses.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), clipboard-read=(), display-capture=(), \
    geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(), \
    xr-spatial-tracking=()";

/// Registers the route, which reads no credential.
pub fn page_routes(config: &mut ServiceConfig<'_>) {
    config.service(shared_report_page);
}

#[utoipa::path(tag = "history", operation_id = "sharedReportPage",
    params(("token" = String, Path, description = "Any text; addresses of links have the id of the link here.")),
    responses((status = 200, content_type = "text/html", body = String), (status = 304)))]
#[get("/v1/history/shared/{token}/page")]
async fn shared_report_page(state: Data<State>, request: HttpRequest) -> Result<HttpResponse> {
    Ok(respond(&request, super::shared_report_page(&anonymous_cx(&state)).await?))
}

fn respond(request: &HttpRequest, page: &'static Page) -> HttpResponse {
    let is_known = holds(request.headers(), &page.tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::ETAG, page.tag.as_str()))
        // A new release is seen at the next visit.
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_SECURITY_POLICY, page.policy.as_str()))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CROSS_ORIGIN_OPENER_POLICY, "same-origin"))
        .insert_header((header::PERMISSIONS_POLICY, PERMISSIONS));
    if is_known {
        return response.finish();
    }
    response.content_type("text/html; charset=utf-8").body(page.body.as_str())
}
