//! GraphQL fields of `privacy`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{EraseChatSubjectInput, EraseChatSubjectResult, EraseYoutubeMemberResult};

/// Mutation fields.
pub struct PrivacyMutations;

#[graphql_object(context = Cx)]
impl PrivacyMutations {
    async fn erase_youtube_member_data(ctx: &Cx, id: String) -> Result<EraseYoutubeMemberResult> {
        super::erase_youtube_member_data(ctx, &id).await
    }

    async fn erase_chat_subject_data(
        ctx: &Cx,
        input: EraseChatSubjectInput,
    ) -> Result<EraseChatSubjectResult> {
        super::erase_chat_subject_data(ctx, Ok(input)).await
    }
}
