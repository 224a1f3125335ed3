//! Chat history over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{ChatMessage, ChatMessagesFilter};

pub struct ChatMessageQueries;

#[graphql_object(context = Cx)]
impl ChatMessageQueries {
    /// What was said in the account's chats, newest first.
    async fn chat_messages(ctx: &Cx, filter: Option<ChatMessagesFilter>) -> Result<Vec<ChatMessage>> {
        super::chat_messages(ctx, Ok(filter.unwrap_or_default())).await
    }
}
