//! GraphQL fields of `checks`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{CheckSongQuery, CopyrightCheck};

/// Query fields.
pub struct CopyrightCheckQueries;

#[graphql_object(context = Cx)]
impl CopyrightCheckQueries {
    async fn check_song(
        ctx: &Cx,
        spotify_track_id: Option<String>,
        isrc: Option<String>,
        title: Option<String>,
        artist: Option<String>,
    ) -> Result<CopyrightCheck> {
        super::check_song(ctx, Ok(CheckSongQuery { spotify_track_id, isrc, title, artist })).await
    }

    async fn copyright_check(
        ctx: &Cx,
        spotify_track_id: Option<String>,
        isrc: Option<String>,
        title: Option<String>,
        artist: Option<String>,
    ) -> Result<CopyrightCheck> {
        super::copyright_check(ctx, Ok(CheckSongQuery { spotify_track_id, isrc, title, artist })).await
    }
}
