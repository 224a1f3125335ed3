//! REST routes of `shared_links`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateSharedLinkInput, CreatedSharedLink, ExtendSharedLinkInput, SharedLink};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(shared_links);
    config.service(create_shared_link);
    config.service(extend_shared_link);
    config.service(revoke_shared_link);
}

#[utoipa::path(tag = "history", operation_id = "sharedLinks", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<SharedLink>)))]
#[get("/v1/history/reports/{id}/shared-links")]
async fn shared_links(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::shared_links(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "history", operation_id = "createSharedLink", params(("id" = uuid::Uuid, Path)),
    request_body = CreateSharedLinkInput, responses((status = 201, body = Enveloped<CreatedSharedLink>)))]
#[post("/v1/history/reports/{id}/shared-links")]
async fn create_shared_link(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateSharedLinkInput>,
) -> Result<HttpResponse> {
    let link = super::create_shared_link(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("/v1/history/shared-links/{}", link.id), link))
}

#[utoipa::path(tag = "history", operation_id = "extendSharedLink", params(("id" = uuid::Uuid, Path)),
    request_body = ExtendSharedLinkInput, responses((status = 200, body = Enveloped<SharedLink>)))]
#[patch("/v1/history/shared-links/{id}")]
async fn extend_shared_link(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ExtendSharedLinkInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::extend_shared_link(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "history", operation_id = "revokeSharedLink", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/history/shared-links/{id}")]
async fn revoke_shared_link(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::revoke_shared_link(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
