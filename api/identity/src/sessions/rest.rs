//! The caller's own sessions over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get};
use api_core::{
    Cx, Result,
    http::{Listed, ServiceConfig, listed, path_uuid},
};

use super::Session;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(my_sessions);
    config.service(revoke_other_sessions);
    config.service(revoke_session);
}

#[utoipa::path(tag = "users", operation_id = "mySessions", responses((status = 200, body = Listed<Session>)))]
#[get("/v1/users/me/sessions")]
async fn my_sessions(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::my_sessions(&cx).await?))
}

#[utoipa::path(tag = "users", operation_id = "revokeOtherSessions", responses((status = 204)))]
#[delete("/v1/users/me/sessions")]
async fn revoke_other_sessions(cx: Cx) -> Result<HttpResponse> {
    super::revoke_other_sessions(&cx).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "users", operation_id = "revokeSession", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/users/me/sessions/{id}")]
async fn revoke_session(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::revoke_session(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
