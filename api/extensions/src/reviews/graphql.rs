//! Reviews over GraphQL.

use api_core::{Cx, Page, Result, graphql::Int64, page::PageRequest};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{CreateExtensionReviewInput, ExtensionReview, UpdateExtensionReviewInput};

pub struct StoreReviewQueries;
pub struct StoreReviewMutations;

/// One page of reviews.
#[derive(GraphQLObject)]
pub struct ExtensionReviewPage {
    items: Vec<ExtensionReview>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<ExtensionReview>> for ExtensionReviewPage {
    fn from(page: Page<ExtensionReview>) -> Self {
        let pages = Int64(page.pages());
        Self {
            total: Int64(page.total),
            page: Int64(page.window.page),
            limit: Int64(page.window.limit),
            pages,
            items: page.items,
        }
    }
}

#[graphql_object(context = Cx)]
impl StoreReviewQueries {
    /// The reviews of an extension, newest first.
    async fn extension_reviews(
        ctx: &Cx,
        id: Uuid,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<ExtensionReviewPage> {
        let request = PageRequest { page: page.map(|n| n.0), limit: limit.map(|n| n.0) };
        Ok(super::extension_reviews(ctx, Ok(id), Ok(request)).await?.into())
    }
}

#[graphql_object(context = Cx)]
impl StoreReviewMutations {
    /// Review an extension.
    async fn create_extension_review(
        ctx: &Cx,
        id: Uuid,
        input: CreateExtensionReviewInput,
    ) -> Result<ExtensionReview> {
        super::create_extension_review(ctx, Ok(id), Ok(input)).await
    }

    /// Change a review of one's own.
    async fn update_extension_review(
        ctx: &Cx,
        id: Uuid,
        review_id: Uuid,
        input: UpdateExtensionReviewInput,
    ) -> Result<ExtensionReview> {
        super::update_extension_review(ctx, Ok(id), Ok(review_id), Ok(input)).await
    }

    /// Take back a review of one's own.
    async fn delete_extension_review(ctx: &Cx, id: Uuid, review_id: Uuid) -> Result<bool> {
        super::delete_extension_review(ctx, Ok(id), Ok(review_id)).await.map(|()| true)
    }
}
