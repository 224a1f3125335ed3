//! REST routes of `watchlist`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid},
};

use super::{AddToWatchlistInput, WatchlistEntry};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(watchlist);
    config.service(add_to_watchlist);
    config.service(remove_from_watchlist);
}

#[utoipa::path(tag = "watchlist", operation_id = "watchlist",
    responses((status = 200, body = Listed<WatchlistEntry>)))]
#[get("/v1/watchlist")]
async fn watchlist(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::watchlist(&cx).await?))
}

#[utoipa::path(tag = "watchlist", operation_id = "addToWatchlist", request_body = AddToWatchlistInput,
    responses((status = 201, body = Enveloped<WatchlistEntry>)))]
#[post("/v1/watchlist")]
async fn add_to_watchlist(cx: Cx, input: JsonBody<AddToWatchlistInput>) -> Result<HttpResponse> {
    let entry = super::add_to_watchlist(&cx, input.0).await?;
    Ok(created(format!("/v1/watchlist/{}", entry.id), entry))
}

#[utoipa::path(tag = "watchlist", operation_id = "removeFromWatchlist", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/watchlist/{id}")]
async fn remove_from_watchlist(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::remove_from_watchlist(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
