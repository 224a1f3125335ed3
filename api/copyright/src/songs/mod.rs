//! Songs, shared by all accounts (reference/copyright.md#songs). A song is found by its Spotify id, then by
//! its ISRC, then by title and artist without regard to case; the first match counts. The first vote for a
//! song sets its names, so a vote with other names keeps these: see [`NamedSong::other_names`].

mod db;

use api_core::{ApiError, Result, validate};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use live_model::copyright::{ISRC_LENGTH, is_spotify_id, parse_isrc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use live_model::copyright::{MAX_NAME_LENGTH, SPOTIFY_ID_LENGTH};

/// Length of an ISRC with its three dashes.
pub(crate) const MAX_ISRC_LENGTH: usize = ISRC_LENGTH + 3;

/// Song.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct CopyrightSong {
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
}

/// Song as a caller names it.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "title": "Here Comes the Sun", "artist": "The Beatles", "isrc": "GBAYE0601690" }))]
pub struct CopyrightSongInput {
    /// 1 to 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub title: String,
    /// 1 to 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub artist: String,
    /// 22 letters and digits.
    #[schema(extensions(("maxLength" = json!(SPOTIFY_ID_LENGTH))))]
    pub spotify_track_id: Option<String>,
    /// International Standard Recording Code: 12 characters, dashes between them may be given.
    #[schema(extensions(("maxLength" = json!(MAX_ISRC_LENGTH))))]
    pub isrc: Option<String>,
}

/// Song with checked names and ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSong {
    /// Title.
    pub(crate) title: String,
    /// Artist.
    pub(crate) artist: String,
    /// Id of the track at Spotify.
    pub(crate) spotify_track_id: Option<String>,
    /// International Standard Recording Code without dashes.
    pub(crate) isrc: Option<String>,
}

impl CopyrightSongInput {
    /// Checks the names and ids of the song. `path` precedes the names of its fields in errors: empty, or
    /// `song.`.
    ///
    /// # Errors
    /// 400 that names the field and the allowed values.
    pub fn check(self, path: &str) -> Result<NamedSong> {
        Ok(NamedSong {
            title: validate::text(&format!("{path}title"), &self.title, 1, MAX_NAME_LENGTH)?,
            artist: validate::text(&format!("{path}artist"), &self.artist, 1, MAX_NAME_LENGTH)?,
            spotify_track_id: self.spotify_track_id.map(|text| spotify_track_id(path, text)).transpose()?,
            isrc: self.isrc.map(|text| isrc(path, &text)).transpose()?,
        })
    }
}

impl NamedSong {
    /// Returns the given title and artist, unless they are those of the stored song.
    #[must_use]
    pub fn other_names(&self, song: &CopyrightSong) -> Option<(&str, &str)> {
        let is_same = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
        let is_named_so = is_same(&self.title, &song.title) && is_same(&self.artist, &song.artist);
        (!is_named_so).then_some((self.title.as_str(), self.artist.as_str()))
    }
}

/// Returns the song and locks it until the transaction ends. It is added when no vote has named it before. An
/// id that is given for a song that is stored without it is ignored: a wrong id would lead the votes of
/// others to the wrong song.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn lock(
    connection: &mut AsyncPgConnection,
    song: &NamedSong,
    now: DateTime<Utc>,
) -> Result<CopyrightSong> {
    if let Some(known) = db::find(connection, song).await? {
        return Ok(known);
    }
    db::add(connection, song, now).await?;
    let added = db::find(connection, song).await?;
    added.ok_or_else(|| ApiError::internal("a song that was added is not there"))
}

/// Checks the id of a track. `path` precedes the name of the field in the error.
///
/// # Errors
/// 400 that names the field.
pub fn spotify_track_id(path: &str, text: String) -> Result<String> {
    if is_spotify_id(&text) {
        return Ok(text);
    }
    Err(ApiError::invalid(format!("{path}spotify_track_id must have 22 letters and digits")))
}

/// Parses `CC-XXX-YY-NNNNN` with or without its dashes. `path` precedes the name of the field in the error.
///
/// # Errors
/// 400 that names the field.
pub fn isrc(path: &str, text: &str) -> Result<String> {
    parse_isrc(text).ok_or_else(|| {
        ApiError::invalid(format!(
            "{path}isrc must be an ISRC: two letters, three letters or digits, seven digits"
        ))
    })
}
