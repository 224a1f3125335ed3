//! Invites over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post, web::Json};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, Success, created, listed, path_uuid, single},
};
use membership::invites::JoinedAccount;

use super::{CreateInviteInput, Invite, InvitePreview};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(invites);
    config.service(create_invite);
    config.service(delete_invite);
    config.service(accept_invite);
    config.service(decline_invite);
}

/// Routes without a credential.
pub fn public_routes(config: &mut ServiceConfig) {
    config.service(invite_by_code);
}

#[utoipa::path(tag = "members", operation_id = "invites", responses((status = 200, body = Listed<Invite>)))]
#[get("/v1/invites")]
async fn invites(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::invites(&cx).await?))
}

#[utoipa::path(tag = "members", operation_id = "createInvite", request_body = CreateInviteInput,
    responses((status = 201, body = Enveloped<Invite>), (status = 404)))]
#[post("/v1/invites")]
async fn create_invite(cx: Cx, input: JsonBody<CreateInviteInput>) -> Result<HttpResponse> {
    // No route returns a single invite by id. The address is the one that deletes it.
    let invite = super::create_invite(&cx, input.0).await?;
    Ok(created(format!("/v1/invites/{}", invite.id), invite))
}

#[utoipa::path(tag = "members", operation_id = "deleteInvite", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/invites/{id}")]
async fn delete_invite(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_invite(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "members", operation_id = "inviteByCode", params(("code" = String, Path)),
    responses((status = 200, body = Enveloped<InvitePreview>)))]
#[get("/v1/invites/{code}")]
async fn invite_by_code(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::invite_by_code(&cx, code(&request)).await?))
}

#[utoipa::path(tag = "members", operation_id = "acceptInvite", params(("code" = String, Path)),
    responses((status = 200, body = Enveloped<JoinedAccount>)))]
#[post("/v1/invites/{code}/accept")]
async fn accept_invite(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::accept_invite(&cx, code(&request)).await?))
}

#[utoipa::path(tag = "members", operation_id = "declineInvite", params(("code" = String, Path)),
    responses((status = 200, body = Success)))]
#[post("/v1/invites/{code}/decline")]
async fn decline_invite(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    super::decline_invite(&cx, code(&request)).await?;
    Ok(Json(Success::DONE))
}

fn code(request: &HttpRequest) -> &str {
    request.match_info().get("code").unwrap_or_default()
}
