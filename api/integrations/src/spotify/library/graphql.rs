//! GraphQL fields of `library`.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;

use super::SpotifySearchQuery;
use crate::spotify::{SpotifyPlaylist, SpotifyTrack};

/// Query fields.
pub struct SpotifyLibraryQueries;
/// Mutation fields.
pub struct SpotifyLibraryMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SpotifyLibraryQueries {
    async fn spotify_playlists(ctx: &Cx) -> Result<Vec<SpotifyPlaylist>> {
        super::spotify_playlists(ctx).await
    }

    async fn spotify_search(ctx: &Cx, q: String, limit: Option<i32>) -> Result<Vec<SpotifyTrack>> {
        super::spotify_search(ctx, Ok(SpotifySearchQuery { q, limit: limit.map(i64::from) })).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SpotifyLibraryMutations {
    async fn spotify_play_playlist(ctx: &Cx, id: String) -> Result<Success> {
        super::spotify_play_playlist(ctx, &id).await
    }
}
