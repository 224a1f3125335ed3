//! REST routes of chat history.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, QueryOf, ServiceConfig, listed_before, more_before},
};

use super::{ChatMessage, ChatMessagesFilter, DEFAULT_LIMIT};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(chat_messages);
}

#[utoipa::path(tag = "chat", operation_id = "chatMessages", params(ChatMessagesFilter),
    responses((status = 200, body = Listed<ChatMessage>)))]
#[get("/v1/chat/messages")]
async fn chat_messages(
    cx: Cx,
    request: HttpRequest,
    filter: QueryOf<ChatMessagesFilter>,
) -> Result<impl Responder> {
    let limit = filter.0.as_ref().ok().and_then(|filter| filter.limit).map_or(DEFAULT_LIMIT, i64::from);
    let messages = super::chat_messages(&cx, filter.0).await?;
    let before = more_before(&messages, limit, |message| message.id.to_string());
    Ok(listed_before(&request, messages, before))
}
