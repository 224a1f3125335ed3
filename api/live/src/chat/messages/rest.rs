//! Chat history over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, QueryOf, listed},
};
use utoipa_actix_web::service_config::ServiceConfig;

use super::{ChatMessage, ChatMessagesFilter};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(chat_messages);
}

/// What was said in the account's chats, newest first.
#[utoipa::path(tag = "chat", operation_id = "chatMessages", params(ChatMessagesFilter),
    responses((status = 200, body = Listed<ChatMessage>)))]
#[get("/v1/chat/messages")]
async fn chat_messages(
    cx: Cx,
    request: HttpRequest,
    filter: QueryOf<ChatMessagesFilter>,
) -> Result<impl Responder> {
    Ok(listed(&request, super::chat_messages(&cx, filter.0).await?))
}
