//! REST routes of `widget_access`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, path_uuid, single},
};

use super::WidgetAccessEntry;
use surfaces::object_access::{AccessCandidate, SetAccessInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(widget_access);
    config.service(widget_access_candidates);
    config.service(set_widget_access);
    config.service(remove_widget_access);
}

#[utoipa::path(tag = "widgets", operation_id = "widgetAccess", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<WidgetAccessEntry>)))]
#[get("/v1/widgets/{id}/access")]
async fn widget_access(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::widget_access(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "widgets", operation_id = "widgetAccessCandidates", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<AccessCandidate>)))]
#[get("/v1/widgets/{id}/access/candidates")]
async fn widget_access_candidates(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::widget_access_candidates(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "widgets", operation_id = "setWidgetAccess",
    params(("id" = uuid::Uuid, Path), ("user_id" = uuid::Uuid, Path)), request_body = SetAccessInput,
    responses((status = 200, body = Enveloped<WidgetAccessEntry>)))]
#[put("/v1/widgets/{id}/access/{user_id}")]
async fn set_widget_access(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetAccessInput>,
) -> Result<impl Responder> {
    let (id, user) = (path_uuid(&request, "id"), path_uuid(&request, "user_id"));
    Ok(single(&request, super::set_widget_access(&cx, id, user, input.0).await?))
}

#[utoipa::path(tag = "widgets", operation_id = "removeWidgetAccess",
    params(("id" = uuid::Uuid, Path), ("user_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/widgets/{id}/access/{user_id}")]
async fn remove_widget_access(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (id, user) = (path_uuid(&request, "id"), path_uuid(&request, "user_id"));
    super::remove_widget_access(&cx, id, user).await?;
    Ok(HttpResponse::NoContent().finish())
}
