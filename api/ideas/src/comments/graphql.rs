//! GraphQL fields of `comments`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateIdeaCommentInput, IdeaComment, IdeaCommentChange, IdeaCommentSort, IdeaCommentsQuery,
    NewIdeaComment,
};
use crate::{kinds::IdeaVoteType, votes::NewIdeaVote};

/// Query fields.
pub struct IdeaCommentQueries;
/// Mutation fields.
pub struct IdeaCommentMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaCommentQueries {
    async fn idea_comments(
        ctx: &Cx,
        idea_id: Uuid,
        sort: Option<IdeaCommentSort>,
        limit: Option<i32>,
        offset: Option<i32>,
    ) -> Result<Vec<IdeaComment>> {
        let (limit, offset) = (limit.map(i64::from), offset.map(i64::from));
        super::idea_comments(ctx, Ok(idea_id), Ok(IdeaCommentsQuery { sort, limit, offset })).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaCommentMutations {
    async fn create_idea_comment(ctx: &Cx, input: CreateIdeaCommentInput) -> Result<IdeaComment> {
        let CreateIdeaCommentInput { idea_id, body, parent_id } = input;
        super::create_idea_comment(ctx, Ok(idea_id), Ok(NewIdeaComment { body, parent_id })).await
    }

    async fn update_idea_comment(ctx: &Cx, id: Uuid, body: String) -> Result<IdeaComment> {
        super::update_idea_comment(ctx, Ok(id), Ok(IdeaCommentChange { body })).await
    }

    async fn delete_idea_comment(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_idea_comment(ctx, Ok(id)).await.map(|()| true)
    }

    async fn vote_idea_comment(ctx: &Cx, id: Uuid, vote_type: IdeaVoteType) -> Result<IdeaComment> {
        super::vote_idea_comment(ctx, Ok(id), Ok(NewIdeaVote { vote_type })).await
    }

    async fn remove_idea_comment_vote(ctx: &Cx, id: Uuid) -> Result<IdeaComment> {
        super::remove_idea_comment_vote(ctx, Ok(id)).await
    }
}
