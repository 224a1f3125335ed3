//! Erasure over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{EraseChatSubjectInput, EraseChatSubjectResult, EraseYoutubeMemberResult};

pub struct PrivacyMutations;

#[graphql_object(context = Cx)]
impl PrivacyMutations {
    /// Erase what is kept of a member of YouTube channels.
    async fn erase_youtube_member_data(ctx: &Cx, id: String) -> Result<EraseYoutubeMemberResult> {
        super::erase_youtube_member_data(ctx, &id).await
    }

    /// Erase what is kept of somebody who chatted.
    async fn erase_chat_subject_data(
        ctx: &Cx,
        input: EraseChatSubjectInput,
    ) -> Result<EraseChatSubjectResult> {
        super::erase_chat_subject_data(ctx, Ok(input)).await
    }
}
