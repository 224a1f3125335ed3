//! The store over GraphQL.

use api_core::{Cx, Page, Result, graphql::Int64};
use juniper::{GraphQLObject, graphql_object};

use super::{StoreCategory, StoreExtension, StoreExtensionDetail, StorePricing, StoreQuery, StoreSort};

pub struct StoreQueries;

/// One page of the store.
#[derive(GraphQLObject)]
pub struct StoreExtensionPage {
    items: Vec<StoreExtension>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<StoreExtension>> for StoreExtensionPage {
    fn from(page: Page<StoreExtension>) -> Self {
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
impl StoreQueries {
    /// What the store offers.
    async fn store_extensions(
        ctx: &Cx,
        search: Option<String>,
        category: Option<StoreCategory>,
        pricing: Option<StorePricing>,
        sort: Option<StoreSort>,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<StoreExtensionPage> {
        let (page, limit) = (page.map(|n| n.0), limit.map(|n| n.0));
        let query = StoreQuery { search, category, pricing, sort, page, limit };
        Ok(super::store_extensions(ctx, Ok(query)).await?.into())
    }

    /// One extension of the store, by its id or slug.
    async fn store_extension(ctx: &Cx, id: String) -> Result<StoreExtensionDetail> {
        super::store_extension(ctx, &id).await
    }
}
