//! REST routes of `crawler_watchlist`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, PageRequest, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged, path_uuid},
};

use super::{AdminAddCrawlerWatchlistEntryInput, CrawlerWatchlistEntry};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(admin_crawler_watchlist);
    config.service(admin_add_crawler_watchlist_entry);
    config.service(admin_remove_crawler_watchlist_entry);
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminCrawlerWatchlist", params(PageRequest),
    responses((status = 200, body = Collection<CrawlerWatchlistEntry>)))]
#[get("/v1/admin/crawler/watchlist")]
async fn admin_crawler_watchlist(
    cx: Cx,
    request: HttpRequest,
    page: QueryOf<PageRequest>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_crawler_watchlist(&cx, page.0).await?))
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminAddCrawlerWatchlistEntry",
    request_body = AdminAddCrawlerWatchlistEntryInput,
    responses((status = 201, body = Enveloped<CrawlerWatchlistEntry>)))]
#[post("/v1/admin/crawler/watchlist")]
async fn admin_add_crawler_watchlist_entry(
    cx: Cx,
    input: JsonBody<AdminAddCrawlerWatchlistEntryInput>,
) -> Result<HttpResponse> {
    let entry = super::admin_add_crawler_watchlist_entry(&cx, input.0).await?;
    Ok(created(format!("/v1/admin/crawler/watchlist/{}", entry.id), entry))
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminRemoveCrawlerWatchlistEntry",
    params(("id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/admin/crawler/watchlist/{id}")]
async fn admin_remove_crawler_watchlist_entry(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_remove_crawler_watchlist_entry(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
