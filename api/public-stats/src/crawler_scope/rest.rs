//! REST routes of `crawler_scope`.

use actix_web::{HttpRequest, Responder, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{AdminUpdateCrawlerScopeInput, CrawlerScope};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(admin_crawler_scope);
    config.service(admin_update_crawler_scope);
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminCrawlerScope",
    responses((status = 200, body = Enveloped<CrawlerScope>)))]
#[get("/v1/admin/crawler/scope")]
async fn admin_crawler_scope(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_crawler_scope(&cx).await?))
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminUpdateCrawlerScope",
    request_body = AdminUpdateCrawlerScopeInput, responses((status = 200, body = Enveloped<CrawlerScope>)))]
#[put("/v1/admin/crawler/scope")]
async fn admin_update_crawler_scope(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdateCrawlerScopeInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::admin_update_crawler_scope(&cx, input.0).await?))
}
