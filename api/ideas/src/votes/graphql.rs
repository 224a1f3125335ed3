//! GraphQL fields of `votes`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{IdeaVoter, IdeaVotersQuery, NewIdeaVote};
use crate::{ideas::GqlIdea, kinds::IdeaVoteType};

/// Query fields.
pub struct IdeaVoteQueries;
/// Mutation fields.
pub struct IdeaVoteMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaVoteQueries {
    async fn idea_voters(
        ctx: &Cx,
        idea_id: Uuid,
        vote_type: Option<IdeaVoteType>,
        limit: Option<i32>,
        offset: Option<i32>,
    ) -> Result<Vec<IdeaVoter>> {
        let (limit, offset) = (limit.map(i64::from), offset.map(i64::from));
        super::idea_voters(ctx, Ok(idea_id), Ok(IdeaVotersQuery { vote_type, limit, offset })).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaVoteMutations {
    async fn vote_idea(ctx: &Cx, id: Uuid, vote_type: IdeaVoteType) -> Result<GqlIdea> {
        super::vote_idea(ctx, Ok(id), Ok(NewIdeaVote { vote_type })).await
    }

    async fn remove_vote(ctx: &Cx, id: Uuid) -> Result<GqlIdea> {
        super::remove_vote(ctx, Ok(id)).await
    }
}
