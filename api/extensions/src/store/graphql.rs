//! Store over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;

use super::{StoreCategory, StoreExtension, StoreExtensionDetail, StorePricing, StoreQuery, StoreSort};

/// Queries of the store.
pub struct StoreQueries;

graphql_page! {
    /// One page of the store.
    StoreExtensionPage of StoreExtension
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StoreQueries {
    async fn store_extensions(
        ctx: &Cx,
        search: Option<String>,
        category: Option<StoreCategory>,
        pricing: Option<StorePricing>,
        sort: Option<StoreSort>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<StoreExtensionPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = StoreQuery { search, category, pricing, sort, page, limit };
        Ok(super::store_extensions(ctx, Ok(query)).await?.into())
    }

    async fn store_extension(ctx: &Cx, id: String) -> Result<StoreExtensionDetail> {
        super::store_extension(ctx, &id).await
    }
}
