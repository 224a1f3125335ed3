//! Lists of songs of accounts and of all accounts, and the match of a song against them
//! (reference/copyright.md#check).

mod matching;
pub mod playlists;

pub use matching::{MatchedSong, SongMatch, SongMatchField, check, check_global};

/// Length of a title and of an artist, in characters (reference/copyright.md#songs).
pub const MAX_NAME_LENGTH: usize = 200;
/// Length of an id at Spotify, in characters.
pub const SPOTIFY_ID_LENGTH: usize = 22;
/// Length of an ISRC without its dashes.
pub const ISRC_LENGTH: usize = 12;

/// List that a song is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SongList {
    /// Songs that can be played.
    Safe,
    /// Songs that are claimed.
    Blocked,
    /// Songs that caused trouble. Only staff fills this list.
    Reported,
}

/// Ids and names of a song to check. What is absent matches nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SongQuery {
    /// Id of the track at Spotify.
    pub spotify_track_id: Option<String>,
    /// International Standard Recording Code without dashes.
    pub isrc: Option<String>,
    /// Title and artist in the form of comparisons ([`keys`]).
    pub names: Option<(String, String)>,
}

impl SongList {
    const ALL: [Self; 3] = [Self::Safe, Self::Blocked, Self::Reported];

    /// Stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Blocked => "blocked",
            Self::Reported => "reported",
        }
    }

    /// List of a stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|list| list.as_str() == text)
    }
}

impl SongQuery {
    /// Query for a track as a platform describes it. Ids that are none are absent from the query; names are
    /// cut to [`MAX_NAME_LENGTH`], as those of imported songs are.
    #[must_use]
    pub fn of_track(spotify_track_id: Option<&str>, isrc: Option<&str>, title: &str, artist: &str) -> Self {
        let names = clipped_name(title).zip(clipped_name(artist));
        Self {
            spotify_track_id: spotify_track_id.filter(|id| is_spotify_id(id)).map(str::to_owned),
            isrc: isrc.and_then(parse_isrc),
            names: names.map(|(title, artist)| keys(&title, &artist)),
        }
    }
}

/// Returns title and artist in the form of comparisons.
#[must_use]
pub fn keys(title: &str, artist: &str) -> (String, String) {
    (title.to_lowercase(), artist.to_lowercase())
}

/// Returns true for text in the form of the id of a track or playlist at Spotify.
#[must_use]
pub fn is_spotify_id(text: &str) -> bool {
    text.len() == SPOTIFY_ID_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Parses `CC-XXX-YY-NNNNN` with or without its dashes, in any case. `None` for any other text.
#[must_use]
pub fn parse_isrc(text: &str) -> Option<String> {
    let code: String = text.chars().filter(|c| *c != '-').map(|c| c.to_ascii_uppercase()).collect();
    let bytes = code.as_bytes();
    let is_code = text.len() <= ISRC_LENGTH + 3
        && bytes.len() == ISRC_LENGTH
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..5].iter().all(u8::is_ascii_alphanumeric)
        && bytes[5..].iter().all(u8::is_ascii_digit);
    is_code.then_some(code)
}

/// Returns a platform's title or artist without surrounding space and control characters, cut to
/// [`MAX_NAME_LENGTH`]. `None` when nothing remains.
#[must_use]
pub fn clipped_name(text: &str) -> Option<String> {
    let text: String = text.trim().chars().filter(|c| !c.is_control()).take(MAX_NAME_LENGTH).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copyright_isrc_is_normalised() {
        assert_eq!(parse_isrc("gb-aye-06-01690").as_deref(), Some("GBAYE0601690"));
        for wrong in ["", "GBAYE060169", "GBAYE06016900", "1BAYE0601690", "GBAYE06O1690", "GBÄE0601690"] {
            assert_eq!(parse_isrc(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn copyright_spotify_id_has_twenty_two_letters_and_digits() {
        assert!(is_spotify_id("6dGnYIeXmHdcikdzNNDMm2"));
        for wrong in ["", "6dGnYIeXmHdcikdzNNDMm", "6dGnYIeXmHdcikdzNNDMm2x", "6dGnYIeXmHdcikdzNND-m2"] {
            assert!(!is_spotify_id(wrong), "{wrong}");
        }
    }

    #[test]
    fn copyright_query_of_a_track_omits_what_matches_nothing() {
        let query = SongQuery::of_track(Some("local"), Some("none"), " Sun ", "The BEATLES");
        let names = Some(("sun".to_owned(), "the beatles".to_owned()));
        assert_eq!(query, SongQuery { spotify_track_id: None, isrc: None, names });
        assert_eq!(SongQuery::of_track(None, None, "\u{7}", "x").names, None);
        assert_eq!(clipped_name(&"ä".repeat(300)).map(|name| name.chars().count()), Some(MAX_NAME_LENGTH));
    }
}
