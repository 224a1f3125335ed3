//! REST routes of `privacy`.

use actix_web::{HttpRequest, Responder, delete, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{EraseChatSubjectInput, EraseChatSubjectResult, EraseYoutubeMemberResult};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(erase_youtube_member_data);
    config.service(erase_chat_subject_data);
}

#[utoipa::path(tag = "privacy", operation_id = "eraseYoutubeMemberData",
    params(("id" = String, Path, description = "The member's own YouTube channel.")),
    responses((status = 200, body = Enveloped<EraseYoutubeMemberResult>)))]
#[delete("/v1/admin/privacy/youtube/member/{id}")]
async fn erase_youtube_member_data(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = request.match_info().query("id");
    Ok(single(&request, super::erase_youtube_member_data(&cx, id).await?))
}

#[utoipa::path(tag = "privacy", operation_id = "eraseChatSubjectData", request_body = EraseChatSubjectInput,
    responses((status = 200, body = Enveloped<EraseChatSubjectResult>)))]
#[post("/v1/admin/privacy/chat/erase")]
async fn erase_chat_subject_data(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<EraseChatSubjectInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::erase_chat_subject_data(&cx, input.0).await?))
}
