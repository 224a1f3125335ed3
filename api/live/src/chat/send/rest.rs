//! REST routes for sending.

use actix_web::{HttpRequest, Responder, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{GqlSendResult, SendChatToPlatformInput};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(send_chat_to_platform);
}

#[utoipa::path(tag = "chat", operation_id = "sendChatToPlatform", request_body = SendChatToPlatformInput,
    responses((status = 200, body = Enveloped<GqlSendResult>)))]
#[post("/v1/chat/send")]
async fn send_chat_to_platform(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SendChatToPlatformInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::send_chat_to_platform(&cx, input.0).await?))
}
