//! GraphQL fields of `manual_connect`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::SpotifyManualConnect;

/// Query fields.
pub struct SpotifyManualConnectQueries;
/// Mutation fields.
pub struct SpotifyManualConnectMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SpotifyManualConnectQueries {
    async fn spotify_manual_connect(ctx: &Cx) -> Result<SpotifyManualConnect> {
        super::spotify_manual_connect(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SpotifyManualConnectMutations {
    async fn start_spotify_manual_connect(ctx: &Cx) -> Result<SpotifyManualConnect> {
        super::start_spotify_manual_connect(ctx).await
    }

    async fn stop_spotify_manual_connect(ctx: &Cx) -> Result<SpotifyManualConnect> {
        super::stop_spotify_manual_connect(ctx).await
    }
}
