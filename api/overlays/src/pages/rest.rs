//! Routes of the pages.

use actix_web::{HttpRequest, HttpResponse, get, http::header, web::Data};
use api_core::{
    Result, State,
    http::{ServiceConfig, holds},
    webhooks::anonymous_cx,
};

use super::Page;

/// Features of the browser that the pages do not use: everything but sounds.
const PERMISSIONS: &str = "accelerometer=(), camera=(), clipboard-read=(), display-capture=(), geolocation=(), \
    gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(), \
    xr-spatial-tracking=()";

/// Registers the routes, which read no credential.
pub fn page_routes(config: &mut ServiceConfig<'_>) {
    config.service(overlay_page);
    config.service(widget_page);
}

#[utoipa::path(tag = "overlays", operation_id = "overlayPage",
    params(("key" = String, Path, description = "Key of the overlay.")),
    responses((status = 200, content_type = "text/html", body = String), (status = 304)))]
#[get("/v1/overlays/{key}/page")]
async fn overlay_page(state: Data<State>, request: HttpRequest) -> Result<HttpResponse> {
    Ok(respond(&request, super::overlay_page(&anonymous_cx(&state)).await?))
}

#[utoipa::path(tag = "widgets", operation_id = "widgetPage",
    params(("id" = String, Path, description = "Id of the widget.")),
    responses((status = 200, content_type = "text/html", body = String), (status = 304)))]
#[get("/v1/widgets/{id}/page")]
async fn widget_page(state: Data<State>, request: HttpRequest) -> Result<HttpResponse> {
    Ok(respond(&request, super::widget_page(&anonymous_cx(&state)).await?))
}

fn respond(request: &HttpRequest, page: Page) -> HttpResponse {
    let is_known = holds(request.headers(), &page.tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::ETAG, page.tag))
        // A new release is seen at the next start of a browser source.
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_SECURITY_POLICY, page.policy))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CROSS_ORIGIN_OPENER_POLICY, "same-origin"))
        .insert_header((header::PERMISSIONS_POLICY, PERMISSIONS));
    if is_known {
        return response.finish();
    }
    response.content_type("text/html; charset=utf-8").body(page.body)
}
