//! REST routes of notes.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateUserNoteInput, UpdateUserNoteInput, UserNote};
use crate::platform_users::UserPath;

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(user_notes);
    config.service(create_user_note);
    config.service(update_user_note);
    config.service(delete_user_note);
}

#[utoipa::path(tag = "chat", operation_id = "userNotes",
    params(("platform" = String, Path), ("platform_user_id" = String, Path)),
    responses((status = 200, body = Listed<UserNote>)))]
#[get("/v1/chat/users/{platform}/{platform_user_id}/notes")]
async fn user_notes(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::user_notes(&cx, UserPath::of(&request)).await?))
}

#[utoipa::path(tag = "chat", operation_id = "createUserNote",
    params(("platform" = String, Path), ("platform_user_id" = String, Path)),
    request_body = CreateUserNoteInput, responses((status = 201, body = Enveloped<UserNote>)))]
#[post("/v1/chat/users/{platform}/{platform_user_id}/notes")]
async fn create_user_note(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateUserNoteInput>,
) -> Result<HttpResponse> {
    let note = super::create_user_note(&cx, UserPath::of(&request), input.0).await?;
    Ok(created(format!("/v1/chat/notes/{}", note.id), note))
}

#[utoipa::path(tag = "chat", operation_id = "updateUserNote", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateUserNoteInput, responses((status = 200, body = Enveloped<UserNote>)))]
#[patch("/v1/chat/notes/{id}")]
async fn update_user_note(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateUserNoteInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_user_note(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "chat", operation_id = "deleteUserNote", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/chat/notes/{id}")]
async fn delete_user_note(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_user_note(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
