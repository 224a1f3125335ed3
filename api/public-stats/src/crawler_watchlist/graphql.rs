//! GraphQL fields of `crawler_watchlist`.

use api_core::{Cx, PageRequest, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminAddCrawlerWatchlistEntryInput, CrawlerWatchlistEntry};

/// Query fields.
pub struct CrawlerWatchlistQueries;
/// Mutation fields.
pub struct CrawlerWatchlistMutations;

graphql_page! {
    /// Page of the channels that are crawled outside of the scope.
    CrawlerWatchlistPage of CrawlerWatchlistEntry
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CrawlerWatchlistQueries {
    async fn admin_crawler_watchlist(
        ctx: &Cx,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<CrawlerWatchlistPage> {
        let page = PageRequest { page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_crawler_watchlist(ctx, Ok(page)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CrawlerWatchlistMutations {
    async fn admin_add_crawler_watchlist_entry(
        ctx: &Cx,
        input: AdminAddCrawlerWatchlistEntryInput,
    ) -> Result<CrawlerWatchlistEntry> {
        super::admin_add_crawler_watchlist_entry(ctx, Ok(input)).await
    }

    async fn admin_remove_crawler_watchlist_entry(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_remove_crawler_watchlist_entry(ctx, Ok(id)).await.map(|()| true)
    }
}
