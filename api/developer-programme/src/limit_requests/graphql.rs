//! GraphQL fields of `limit_requests`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateLimitRequestInput, LimitRequest, LimitRequestEvent, LimitRequestQuery, LimitRequestStatus,
    review::{self, AdminReviewLimitRequestInput},
};

/// Query fields.
pub struct LimitRequestQueries;
/// Mutation fields.
pub struct LimitRequestMutations;

graphql_page! {
    /// Page of requests for higher limits.
    LimitRequestPage of LimitRequest
}

fn query(status: Option<LimitRequestStatus>, page: Option<i32>, limit: Option<i32>) -> LimitRequestQuery {
    LimitRequestQuery { status, page: page.map(i64::from), limit: limit.map(i64::from) }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl LimitRequestQueries {
    async fn developer_limit_requests(
        ctx: &Cx,
        status: Option<LimitRequestStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<LimitRequestPage> {
        Ok(super::developer_limit_requests(ctx, Ok(query(status, page, limit))).await?.into())
    }

    async fn developer_limit_request(ctx: &Cx, id: Uuid) -> Result<LimitRequest> {
        super::developer_limit_request(ctx, Ok(id)).await
    }

    async fn developer_limit_request_events(ctx: &Cx, id: Uuid) -> Result<Vec<LimitRequestEvent>> {
        super::developer_limit_request_events(ctx, Ok(id)).await
    }

    async fn admin_limit_requests(
        ctx: &Cx,
        status: Option<LimitRequestStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<LimitRequestPage> {
        Ok(review::admin_limit_requests(ctx, Ok(query(status, page, limit))).await?.into())
    }

    async fn admin_developer_limit_requests(
        ctx: &Cx,
        id: Uuid,
        status: Option<LimitRequestStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<LimitRequestPage> {
        let query = query(status, page, limit);
        Ok(review::admin_developer_limit_requests(ctx, Ok(id), Ok(query)).await?.into())
    }

    async fn admin_limit_request(ctx: &Cx, id: Uuid) -> Result<LimitRequest> {
        review::admin_limit_request(ctx, Ok(id)).await
    }

    async fn admin_limit_request_events(ctx: &Cx, id: Uuid) -> Result<Vec<LimitRequestEvent>> {
        review::admin_limit_request_events(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl LimitRequestMutations {
    async fn create_limit_request(ctx: &Cx, input: CreateLimitRequestInput) -> Result<LimitRequest> {
        super::create_limit_request(ctx, Ok(input)).await
    }

    async fn admin_review_limit_request(
        ctx: &Cx,
        id: Uuid,
        input: AdminReviewLimitRequestInput,
    ) -> Result<LimitRequest> {
        review::admin_review_limit_request(ctx, Ok(id), Ok(input)).await
    }
}
