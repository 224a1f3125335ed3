//! Addresses of tracks in inputs (reference/music.md#addresses).

use api_core::{ApiError, Result};
use platforms::spotify::address::id_in_address;

/// Length of the address of a track, in characters (reference/music.md#addresses).
pub const MAX_URI_LENGTH: usize = 500;

/// Returns the address `spotify:track:{id}` of the track that an input names, as such an address or as that of its
/// page: `https://open.spotify.com/track/{id}`, also with a language.
///
/// # Errors
/// 400 for any other text.
pub fn track_uri(given: &str) -> Result<String> {
    let refused = || ApiError::invalid("uri must be the address of a track at Spotify");
    if given.chars().count() > MAX_URI_LENGTH {
        return Err(refused());
    }
    let id = id_in_address("track", given).ok_or_else(refused)?;
    Ok(format!("spotify:track:{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "6dGnYIeXmHdcikdzNNDMm2";

    #[test]
    fn track_uri_reads_the_addresses_of_tracks_only() {
        for address in [
            format!("spotify:track:{ID}"),
            format!(" https://open.spotify.com/track/{ID} "),
            format!("https://open.spotify.com/intl-de/track/{ID}?si=0123456789abcdef"),
        ] {
            assert_eq!(track_uri(&address), Ok(format!("spotify:track:{ID}")), "{address}");
        }
        for address in [
            String::new(),
            ID.to_owned(),
            format!("spotify:album:{ID}"),
            format!("spotify:track:{ID}x"),
            format!("http://open.spotify.com/track/{ID}"),
            format!("https://open.spotify.com.example/track/{ID}"),
            format!("https://open.spotify.com/track/{ID}/more"),
            format!("https://open.spotify.com/track/{ID}?{}", "x".repeat(500)),
        ] {
            assert!(track_uri(&address).is_err(), "{address}");
        }
    }
}
