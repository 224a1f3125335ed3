//! GraphQL fields of `watchlist`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AddToWatchlistInput, WatchlistEntry};

/// Query fields.
pub struct WatchlistQueries;
/// Mutation fields.
pub struct WatchlistMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WatchlistQueries {
    async fn watchlist(ctx: &Cx) -> Result<Vec<WatchlistEntry>> {
        super::watchlist(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WatchlistMutations {
    async fn add_to_watchlist(ctx: &Cx, input: AddToWatchlistInput) -> Result<WatchlistEntry> {
        super::add_to_watchlist(ctx, Ok(input)).await
    }

    async fn remove_from_watchlist(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::remove_from_watchlist(ctx, Ok(id)).await.map(|()| true)
    }
}
