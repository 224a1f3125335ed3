//! Check of a song against the lists (reference/copyright.md#check).

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use juniper::{GraphQLEnum, GraphQLObject};
use live_model::copyright::{self, SongMatchField, SongQuery, keys};
use serde::{Deserialize, Serialize};
use shared::catalogue::{AccountPermission, Feature};
use utoipa::{IntoParams, ToSchema};

use crate::{
    listed_songs::{ListedSong, SongList},
    songs::{self, MAX_NAME_LENGTH},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CHECK_SONG, &COPYRIGHT_CHECK];

/// Copyright status of a song.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CopyrightStatus {
    /// Song can be played.
    Safe,
    /// Song is claimed and should not be played.
    Blocked,
    /// Song caused trouble.
    Reported,
    /// No list has the song.
    Unknown,
}

/// Field by which a list has a song.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SongMatch {
    /// Id of the track at Spotify.
    SpotifyTrackId,
    /// International Standard Recording Code.
    Isrc,
    /// Title and artist, in any case.
    Names,
}

/// Owner of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SongListScope {
    /// List of the account.
    Account,
    /// List of all accounts.
    Global,
}

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct CopyrightCheck {
    /// Status.
    pub status: CopyrightStatus,
    /// Field that matched. Null: no list has the song.
    pub matched_by: Option<SongMatch>,
    /// Owner of the list. Null: no list has the song.
    pub scope: Option<SongListScope>,
    /// Song of the list. Null: no list has the song.
    pub song: Option<ListedSong>,
}

/// Song to check: an id, or title and artist.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CheckSongQuery {
    /// Id of the track at Spotify: 22 letters and digits.
    #[param(max_length = 22)]
    pub spotify_track_id: Option<String>,
    /// International Standard Recording Code: 12 characters, dashes between them may be given.
    #[param(max_length = 15)]
    pub isrc: Option<String>,
    /// Title, 1 to 200 characters.
    #[param(max_length = 200)]
    pub title: Option<String>,
    /// Artist, 1 to 200 characters.
    #[param(max_length = 200)]
    pub artist: Option<String>,
}

pub static CHECK_SONG: Operation<AccountCaller> =
    Operation::account("checkSong", AccountPermission::CopyrightRead, Grants::Nothing)
        .feature(Feature::CopyrightDetection);

/// Returns the copyright status of a song in the account.
///
/// The lists of the account and of all accounts are searched by Spotify id, then by ISRC, then by title and
/// artist; the first field that matches decides. An entry of the account has priority over one of all
/// accounts, and a blocked song over a reported or safe one.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field, or without an id or title and artist.
#[api_core::operation]
pub async fn check_song(cx: &Cx, query: Input<CheckSongQuery>) -> Result<CopyrightCheck> {
    let caller = cx.authorize(&CHECK_SONG).await?;
    check(&caller, query).await
}

pub static COPYRIGHT_CHECK: Operation<AccountCaller> =
    Operation::account("copyrightCheck", AccountPermission::CopyrightRead, Grants::Nothing)
        .feature(Feature::CopyrightDetection);

/// Returns the copyright status of a song in the account: another name of `checkSong`.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field, or without an id or title and artist.
#[api_core::operation]
pub async fn copyright_check(cx: &Cx, query: Input<CheckSongQuery>) -> Result<CopyrightCheck> {
    let caller = cx.authorize(&COPYRIGHT_CHECK).await?;
    check(&caller, query).await
}

async fn check(caller: &AccountCaller, query: Input<CheckSongQuery>) -> Result<CopyrightCheck> {
    let query = query?.check()?;
    let found = copyright::check(&mut *caller.db().await?, caller.account, &query).await?;
    Ok(found.map_or(CopyrightCheck::UNKNOWN, CopyrightCheck::of))
}

impl CheckSongQuery {
    fn check(self) -> Result<SongQuery> {
        let name = |field: &str, text: Option<String>| {
            text.map(|text| validate::text(field, &text, 1, MAX_NAME_LENGTH)).transpose()
        };
        let spotify_track_id =
            self.spotify_track_id.map(|text| songs::spotify_track_id("", text)).transpose()?;
        let isrc = self.isrc.map(|text| songs::isrc("", &text)).transpose()?;
        let names = match (name("title", self.title)?, name("artist", self.artist)?) {
            (Some(title), Some(artist)) => Some(keys(&title, &artist)),
            (None, None) => None,
            (None, Some(_)) => return Err(ApiError::invalid("Missing field: title")),
            (Some(_), None) => return Err(ApiError::invalid("Missing field: artist")),
        };
        if spotify_track_id.is_none() && isrc.is_none() && names.is_none() {
            let message = "Give spotify_track_id, isrc, or title and artist";
            return Err(ApiError::new(api_core::Code::ValidationError, message));
        }
        Ok(SongQuery { spotify_track_id, isrc, names })
    }
}

impl CopyrightCheck {
    const UNKNOWN: Self =
        Self { status: CopyrightStatus::Unknown, matched_by: None, scope: None, song: None };

    fn of(found: copyright::SongMatch) -> Self {
        let scope = if found.is_own { SongListScope::Account } else { SongListScope::Global };
        Self {
            status: found.list.into(),
            matched_by: Some(found.matched_by.into()),
            scope: Some(scope),
            song: Some(found.song.into()),
        }
    }
}

impl From<SongMatchField> for SongMatch {
    fn from(field: SongMatchField) -> Self {
        match field {
            SongMatchField::SpotifyTrackId => Self::SpotifyTrackId,
            SongMatchField::Isrc => Self::Isrc,
            SongMatchField::Names => Self::Names,
        }
    }
}

impl From<SongList> for CopyrightStatus {
    fn from(list: SongList) -> Self {
        match list {
            SongList::Safe => Self::Safe,
            SongList::Blocked => Self::Blocked,
            SongList::Reported => Self::Reported,
        }
    }
}
