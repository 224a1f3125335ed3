//! Ids of Spotify in inputs (reference/music.md#addresses).

use api_core::{ApiError, Result};
use live_model::copyright::is_spotify_id;

/// Checks the id of a playlist.
///
/// # Errors
/// 400 for a text that is no id of Spotify.
pub(super) fn playlist_id(given: &str) -> Result<&str> {
    if is_spotify_id(given) {
        Ok(given)
    } else {
        Err(ApiError::invalid("id must have 22 letters and digits"))
    }
}
