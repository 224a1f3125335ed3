//! Sending chat messages over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{GqlSendResult, SendChatToPlatformInput};

pub struct SendMutations;

#[graphql_object(context = Cx)]
impl SendMutations {
    /// Send a chat message to one platform. That the platform refuses is an answer with `sent: false`.
    async fn send_chat_to_platform(ctx: &Cx, input: SendChatToPlatformInput) -> Result<GqlSendResult> {
        super::send_chat_to_platform(ctx, Ok(input)).await
    }
}
