//! Reviews over GraphQL.

use api_core::{CursorRequest, Cx, Result, graphql_cursor_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateExtensionReviewInput, ExtensionReview, UpdateExtensionReviewInput};

/// Queries of reviews.
pub struct StoreReviewQueries;
/// Mutations of reviews.
pub struct StoreReviewMutations;

graphql_cursor_page! {
    /// One page of reviews.
    ExtensionReviewPage of ExtensionReview
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StoreReviewQueries {
    async fn extension_reviews(
        ctx: &Cx,
        id: Uuid,
        page: Option<i32>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<ExtensionReviewPage> {
        let request = CursorRequest::new(page, limit, cursor);
        Ok(super::extension_reviews(ctx, Ok(id), Ok(request)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StoreReviewMutations {
    async fn create_extension_review(
        ctx: &Cx,
        id: Uuid,
        input: CreateExtensionReviewInput,
    ) -> Result<ExtensionReview> {
        super::create_extension_review(ctx, Ok(id), Ok(input)).await
    }

    async fn update_extension_review(
        ctx: &Cx,
        id: Uuid,
        review_id: Uuid,
        input: UpdateExtensionReviewInput,
    ) -> Result<ExtensionReview> {
        super::update_extension_review(ctx, Ok(id), Ok(review_id), Ok(input)).await
    }

    async fn delete_extension_review(ctx: &Cx, id: Uuid, review_id: Uuid) -> Result<bool> {
        super::delete_extension_review(ctx, Ok(id), Ok(review_id)).await.map(|()| true)
    }
}
