//! GraphQL fields of `candidates`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CopyrightCandidate, CopyrightCandidateStatus, CopyrightCandidatesQuery};

/// Query fields.
pub struct CopyrightCandidateQueries;
/// Mutation fields.
pub struct CopyrightCandidateMutations;

graphql_page! {
    /// Page of candidates.
    CopyrightCandidatePage of CopyrightCandidate
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CopyrightCandidateQueries {
    async fn admin_copyright_candidates(
        ctx: &Cx,
        status: Option<CopyrightCandidateStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<CopyrightCandidatePage> {
        let query =
            CopyrightCandidatesQuery { status, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_copyright_candidates(ctx, Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CopyrightCandidateMutations {
    async fn admin_approve_copyright_candidate(ctx: &Cx, id: Uuid) -> Result<CopyrightCandidate> {
        super::admin_approve_copyright_candidate(ctx, Ok(id)).await
    }

    async fn admin_dismiss_copyright_candidate(ctx: &Cx, id: Uuid) -> Result<CopyrightCandidate> {
        super::admin_dismiss_copyright_candidate(ctx, Ok(id)).await
    }
}
