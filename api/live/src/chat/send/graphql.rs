//! GraphQL fields for sending.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{GqlSendResult, SendChatToPlatformInput};

/// Mutations for sending.
pub struct SendMutations;

#[graphql_object(context = Cx)]
impl SendMutations {
    async fn send_chat_to_platform(ctx: &Cx, input: SendChatToPlatformInput) -> Result<GqlSendResult> {
        super::send_chat_to_platform(ctx, Ok(input)).await
    }
}
