//! Public directory of the songs about which staff has decided, and a public check of one
//! (reference/copyright.md#public-directory).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AnyOperation, Grants, Visitor},
};
use juniper::GraphQLObject;
use live_model::copyright::{self, SongQuery};
use platforms::spotify::address::id_in_address;
use serde::{Deserialize, Serialize};
use shared::catalogue::Feature;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{
    checks::CopyrightStatus,
    listed_songs::{ListedSong, checked_search},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&MUSIC_SONGS, &MUSIC_SONG, &MUSIC_CHECK];

/// Length of the address of a track, in characters.
const MAX_URL_LENGTH: usize = 500;

/// Song of the public directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct MusicSong {
    /// Identifier.
    pub id: Uuid,
    /// Title.
    pub title: String,
    /// Artist.
    pub artist: String,
    /// Id of the track at Spotify. Null: unknown.
    pub spotify_track_id: Option<String>,
    /// International Standard Recording Code without dashes. Null: unknown.
    pub isrc: Option<String>,
    /// Status.
    pub status: CopyrightStatus,
    /// Time of the decision.
    pub created_at: Timestamp,
}

/// Result of a public check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct MusicCheck {
    /// Status.
    pub status: CopyrightStatus,
    /// Song of the directory. Null: it has no such song.
    pub song: Option<MusicSong>,
}

/// Query of the directory.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MusicSongsQuery {
    /// Beginning of the title or artist, in any case; 1 to 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
    /// Status: `safe`, `blocked` or `reported`; every status when absent.
    pub status: Option<CopyrightStatus>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Query of the check.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MusicCheckQuery {
    /// Address of a track: `https://open.spotify.com/track/…` or `spotify:track:…`; at most 500 characters.
    #[param(max_length = 500)]
    pub url: String,
}

pub static MUSIC_SONGS: Operation<Visitor> =
    Operation::public("musicSongs", Grants::Nothing).feature(Feature::CopyrightPublicDirectory).polled();

/// Lists the songs about which staff has decided, by title.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when the directory is off; 400 for a search or page out of bounds. No song has the
/// status `unknown`.
#[api_core::operation]
pub async fn music_songs(cx: &Cx, query: Input<MusicSongsQuery>) -> Result<Page<MusicSong>> {
    let visitor = cx.authorize(&MUSIC_SONGS).await?;
    let query = query?;
    let search = checked_search(query.search)?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let connection = &mut *visitor.db().await?;
    let (items, total) = db::page(connection, search.as_deref(), query.status, window).await?;
    Ok(Page { items, total, window })
}

pub static MUSIC_SONG: Operation<Visitor> =
    Operation::public("musicSong", Grants::Nothing).feature(Feature::CopyrightPublicDirectory);

/// Returns a song of the directory.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when the directory is off; 404 when the directory has no such song.
#[api_core::operation]
pub async fn music_song(cx: &Cx, id: Input<Uuid>) -> Result<MusicSong> {
    let visitor = cx.authorize(&MUSIC_SONG).await?;
    let song = db::find(&mut *visitor.db().await?, id?).await?;
    song.ok_or_else(|| ApiError::not_found("Song not found"))
}

pub static MUSIC_CHECK: Operation<Visitor> =
    Operation::public("musicCheck", Grants::Nothing).feature(Feature::CopyrightPublicQuickCheck);

/// Returns the status of a track by its address.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when the check is off; 400 for any other address.
#[api_core::operation]
pub async fn music_check(cx: &Cx, query: Input<MusicCheckQuery>) -> Result<MusicCheck> {
    let visitor = cx.authorize(&MUSIC_CHECK).await?;
    let spotify_track_id = track_of(&query?.url).map(Some)?;
    let query = SongQuery { spotify_track_id, ..SongQuery::default() };
    let found = copyright::check_global(&mut *visitor.db().await?, &query).await?;
    Ok(found.map_or(MusicCheck { status: CopyrightStatus::Unknown, song: None }, |found| {
        let (status, song) = (found.list.into(), found.song.into());
        MusicCheck { status, song: Some(MusicSong::of(status, song)) }
    }))
}

impl MusicSong {
    fn of(status: CopyrightStatus, song: ListedSong) -> Self {
        let ListedSong { id, title, artist, spotify_track_id, isrc, created_at } = song;
        Self { id, title, artist, spotify_track_id, isrc, status, created_at }
    }
}

/// Returns the id of the track that an address names.
fn track_of(address: &str) -> Result<String> {
    let refused = || ApiError::invalid("url must be the address of a track at Spotify");
    if address.chars().count() > MAX_URL_LENGTH {
        return Err(refused());
    }
    id_in_address("track", address).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn music_check_reads_the_addresses_of_tracks_only() {
        const ID: &str = "6dGnYIeXmHdcikdzNNDMm2";
        for address in [
            format!("https://open.spotify.com/track/{ID}"),
            format!("https://open.spotify.com/intl-de/track/{ID}?si=0123456789abcdef"),
            format!("spotify:track:{ID}"),
        ] {
            assert_eq!(track_of(&address).as_deref(), Ok(ID), "{address}");
        }
        for address in [
            String::new(),
            ID.to_owned(),
            format!("http://open.spotify.com/track/{ID}"),
            format!("https://open.spotify.com.example/track/{ID}"),
            format!("https://open.spotify.com/album/{ID}"),
            format!("https://open.spotify.com/track/{ID}/more"),
            format!("https://open.spotify.com/track/{ID}x"),
            format!("spotify:album:{ID}"),
            format!("https://open.spotify.com/track/{ID}?{}", "x".repeat(500)),
        ] {
            assert!(track_of(&address).is_err(), "{address}");
        }
    }
}
