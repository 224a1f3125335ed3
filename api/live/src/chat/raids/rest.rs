//! REST routes of raids.

use actix_web::{HttpResponse, delete, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, QueryOf, ServiceConfig, created},
};

use super::{CancelRaidQuery, Raid, StartRaidInput};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(start_raid);
    config.service(cancel_raid);
}

#[utoipa::path(tag = "chat", operation_id = "startRaid", request_body = StartRaidInput,
    responses((status = 201, body = Enveloped<Raid>)))]
#[post("/v1/chat/raid")]
async fn start_raid(cx: Cx, input: JsonBody<StartRaidInput>) -> Result<HttpResponse> {
    let raid = super::start_raid(&cx, input.0).await?;
    Ok(created("/v1/chat/raid".to_owned(), raid))
}

#[utoipa::path(tag = "chat", operation_id = "cancelRaid", params(CancelRaidQuery), responses((status = 204)))]
#[delete("/v1/chat/raid")]
async fn cancel_raid(cx: Cx, query: QueryOf<CancelRaidQuery>) -> Result<HttpResponse> {
    super::cancel_raid(&cx, query.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
