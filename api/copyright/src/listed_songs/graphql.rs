//! GraphQL fields of `listed_songs`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{ListedSong, ListedSongsQuery};
use crate::songs::CopyrightSongInput;

/// Query fields.
pub struct ListedSongQueries;
/// Mutation fields.
pub struct ListedSongMutations;

graphql_page! {
    /// Page of a list of songs.
    ListedSongPage of ListedSong
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ListedSongQueries {
    async fn safe_songs(
        ctx: &Cx,
        search: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<ListedSongPage> {
        Ok(super::safe_songs(ctx, Ok(query(search, page, limit))).await?.into())
    }

    async fn blocked_songs(
        ctx: &Cx,
        search: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<ListedSongPage> {
        Ok(super::blocked_songs(ctx, Ok(query(search, page, limit))).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ListedSongMutations {
    async fn add_safe_song(ctx: &Cx, input: CopyrightSongInput) -> Result<ListedSong> {
        super::add_safe_song(ctx, Ok(input)).await
    }

    async fn delete_safe_song(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_safe_song(ctx, Ok(id)).await.map(|()| true)
    }

    async fn add_blocked_song(ctx: &Cx, input: CopyrightSongInput) -> Result<ListedSong> {
        super::add_blocked_song(ctx, Ok(input)).await
    }

    async fn delete_blocked_song(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_blocked_song(ctx, Ok(id)).await.map(|()| true)
    }
}

fn query(search: Option<String>, page: Option<i32>, limit: Option<i32>) -> ListedSongsQuery {
    ListedSongsQuery { search, page: page.map(i64::from), limit: limit.map(i64::from) }
}
