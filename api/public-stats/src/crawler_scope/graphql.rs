//! GraphQL fields of `crawler_scope`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{AdminUpdateCrawlerScopeInput, CrawlerScope};

/// Query fields.
pub struct CrawlerScopeQueries;
/// Mutation fields.
pub struct CrawlerScopeMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CrawlerScopeQueries {
    async fn admin_crawler_scope(ctx: &Cx) -> Result<CrawlerScope> {
        super::admin_crawler_scope(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CrawlerScopeMutations {
    async fn admin_update_crawler_scope(
        ctx: &Cx,
        input: AdminUpdateCrawlerScopeInput,
    ) -> Result<CrawlerScope> {
        super::admin_update_crawler_scope(ctx, Ok(input)).await
    }
}
