//! GraphQL fields of `verifications`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    DeveloperVerification, DeveloperVerificationItem, DeveloperVerificationStatus,
    SubmitDeveloperVerificationInput,
    review::{
        self, AdminApproveDeveloperVerificationInput, AdminDeveloperVerification,
        AdminRejectDeveloperVerificationInput, DeveloperVerificationDecision, DeveloperVerificationQuery,
    },
};

/// Query fields.
pub struct DeveloperVerificationQueries;
/// Mutation fields.
pub struct DeveloperVerificationMutations;

graphql_page! {
    /// Page of verifications.
    DeveloperVerificationPage of DeveloperVerificationItem
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DeveloperVerificationQueries {
    async fn developer_verification(ctx: &Cx) -> Result<Option<DeveloperVerification>> {
        super::developer_verification(ctx).await
    }

    async fn admin_developer_verifications(
        ctx: &Cx,
        status: Option<DeveloperVerificationStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<DeveloperVerificationPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = DeveloperVerificationQuery { status, page, limit };
        Ok(review::admin_developer_verifications(ctx, Ok(query)).await?.into())
    }

    async fn admin_developer_verification(ctx: &Cx, id: Uuid) -> Result<AdminDeveloperVerification> {
        review::admin_developer_verification(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DeveloperVerificationMutations {
    async fn submit_developer_verification(
        ctx: &Cx,
        input: SubmitDeveloperVerificationInput,
    ) -> Result<DeveloperVerification> {
        super::submit_developer_verification(ctx, Ok(input)).await
    }

    async fn admin_approve_developer_verification(
        ctx: &Cx,
        id: Uuid,
        input: Option<AdminApproveDeveloperVerificationInput>,
    ) -> Result<DeveloperVerificationDecision> {
        review::admin_approve_developer_verification(ctx, Ok(id), Ok(input.unwrap_or_default())).await
    }

    async fn admin_reject_developer_verification(
        ctx: &Cx,
        id: Uuid,
        input: AdminRejectDeveloperVerificationInput,
    ) -> Result<DeveloperVerificationDecision> {
        review::admin_reject_developer_verification(ctx, Ok(id), Ok(input)).await
    }
}
