//! GraphQL fields of `applications`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    DeveloperApplication, DeveloperApplicationList, DeveloperApplicationStatus,
    SubmitDeveloperApplicationInput,
    review::{
        self, AdminApproveDeveloperApplicationInput, AdminRejectDeveloperApplicationInput,
        DeveloperApplicationDecision, DeveloperApplicationQuery,
    },
};

/// Query fields.
pub struct DeveloperApplicationQueries;
/// Mutation fields.
pub struct DeveloperApplicationMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DeveloperApplicationQueries {
    async fn developer_application(ctx: &Cx) -> Result<DeveloperApplication> {
        super::developer_application(ctx).await
    }

    async fn admin_developer_applications(
        ctx: &Cx,
        status: Option<DeveloperApplicationStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<DeveloperApplicationList> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = DeveloperApplicationQuery { status, page, limit };
        review::admin_developer_applications(ctx, Ok(query)).await
    }

    async fn admin_developer_application(ctx: &Cx, id: Uuid) -> Result<DeveloperApplication> {
        review::admin_developer_application(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DeveloperApplicationMutations {
    async fn submit_developer_application(
        ctx: &Cx,
        input: SubmitDeveloperApplicationInput,
    ) -> Result<DeveloperApplication> {
        super::submit_developer_application(ctx, Ok(input)).await
    }

    async fn admin_approve_developer_application(
        ctx: &Cx,
        id: Uuid,
        input: Option<AdminApproveDeveloperApplicationInput>,
    ) -> Result<DeveloperApplicationDecision> {
        review::admin_approve_developer_application(ctx, Ok(id), Ok(input.unwrap_or_default())).await
    }

    async fn admin_reject_developer_application(
        ctx: &Cx,
        id: Uuid,
        input: AdminRejectDeveloperApplicationInput,
    ) -> Result<DeveloperApplicationDecision> {
        review::admin_reject_developer_application(ctx, Ok(id), Ok(input)).await
    }
}
