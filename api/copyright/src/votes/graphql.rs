//! GraphQL fields of `votes`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{CopyrightVote, CreateCopyrightReportInput, CreateSafeRecommendationInput, VoteCopyrightInput};

/// Mutation fields.
pub struct CopyrightVoteMutations;

#[graphql_object(context = Cx)]
impl CopyrightVoteMutations {
    async fn vote_copyright(ctx: &Cx, input: VoteCopyrightInput) -> Result<CopyrightVote> {
        Ok(super::vote_copyright(ctx, Ok(input)).await?.vote)
    }

    async fn create_copyright_report(ctx: &Cx, input: CreateCopyrightReportInput) -> Result<CopyrightVote> {
        super::create_copyright_report(ctx, Ok(input)).await
    }

    async fn create_safe_recommendation(
        ctx: &Cx,
        input: CreateSafeRecommendationInput,
    ) -> Result<CopyrightVote> {
        super::create_safe_recommendation(ctx, Ok(input)).await
    }
}
