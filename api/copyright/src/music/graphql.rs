//! GraphQL fields of `music`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{MusicCheck, MusicCheckQuery, MusicSong, MusicSongsQuery};
use crate::checks::CopyrightStatus;

/// Query fields.
pub struct MusicQueries;

graphql_page! {
    /// Page of the directory.
    MusicSongPage of MusicSong
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl MusicQueries {
    async fn music_songs(
        ctx: &Cx,
        search: Option<String>,
        status: Option<CopyrightStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<MusicSongPage> {
        let query =
            MusicSongsQuery { search, status, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::music_songs(ctx, Ok(query)).await?.into())
    }

    async fn music_song(ctx: &Cx, id: Uuid) -> Result<MusicSong> {
        super::music_song(ctx, Ok(id)).await
    }

    async fn music_check(ctx: &Cx, url: String) -> Result<MusicCheck> {
        super::music_check(ctx, Ok(MusicCheckQuery { url })).await
    }
}
