//! Songs, shared by all accounts (reference/copyright.md#songs). A song is found by its Spotify id, then by
//! its ISRC, then by title and artist without regard to case; the first match counts. The first vote for a
//! song sets its names, so a vote with other names keeps these: see [`NamedSong::other_names`].

mod db;

use api_core::{ApiError, Result, validate};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) const MAX_NAME_LENGTH: usize = 200;
pub(crate) const SPOTIFY_ID_LENGTH: usize = 22;
const ISRC_LENGTH: usize = 12;
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

/// Returns title and artist in the form of comparisons.
#[must_use]
pub fn keys(title: &str, artist: &str) -> (String, String) {
    (title.to_lowercase(), artist.to_lowercase())
}

/// Returns the song and locks it until the transaction ends. It is added when no vote has named it before. An
/// id that is given for a song that is stored without it is ignored: a wrong id would lead the votes of
/// others to the wrong song.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn hold(
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
    if is_spotify_track_id(&text) {
        return Ok(text);
    }
    Err(ApiError::invalid(format!("{path}spotify_track_id must have 22 letters and digits")))
}

/// Returns true for text in the form of the id of a track.
#[must_use]
pub fn is_spotify_track_id(text: &str) -> bool {
    text.len() == SPOTIFY_ID_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Parses `CC-XXX-YY-NNNNN` with or without its dashes. `path` precedes the name of the field in the error.
///
/// # Errors
/// 400 that names the field.
pub fn isrc(path: &str, text: &str) -> Result<String> {
    let code: String = text.chars().filter(|c| *c != '-').map(|c| c.to_ascii_uppercase()).collect();
    let bytes = code.as_bytes();
    let is_code = text.len() <= MAX_ISRC_LENGTH
        && bytes.len() == ISRC_LENGTH
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..5].iter().all(u8::is_ascii_alphanumeric)
        && bytes[5..].iter().all(u8::is_ascii_digit);
    if is_code {
        return Ok(code);
    }
    Err(ApiError::invalid(format!(
        "{path}isrc must be an ISRC: two letters, three letters or digits, seven digits"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isrc_is_normalised() {
        assert_eq!(isrc("song.", "gb-aye-06-01690").as_deref(), Ok("GBAYE0601690"));
        for wrong in ["", "GBAYE060169", "GBAYE06016900", "1BAYE0601690", "GBAYE06O1690", "GBÄE0601690"] {
            assert!(isrc("song.", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn spotify_track_id_has_twenty_two_letters_and_digits() {
        assert!(is_spotify_track_id("6dGnYIeXmHdcikdzNNDMm2"));
        for wrong in ["", "6dGnYIeXmHdcikdzNNDMm", "6dGnYIeXmHdcikdzNNDMm2x", "6dGnYIeXmHdcikdzNND-m2"] {
            assert!(!is_spotify_track_id(wrong), "{wrong}");
        }
    }
}
