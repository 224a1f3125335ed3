//! GraphQL fields of chat history.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{ChatMessage, ChatMessagesFilter};

/// Queries of chat history.
pub struct ChatMessageQueries;

#[graphql_object(context = Cx)]
impl ChatMessageQueries {
    async fn chat_messages(ctx: &Cx, filter: Option<ChatMessagesFilter>) -> Result<Vec<ChatMessage>> {
        super::chat_messages(ctx, Ok(filter.unwrap_or_default())).await
    }
}
