//! Reading of a playlist within a request (reference/copyright.md#playlists).

use std::time::Duration;

use api_core::{ApiError, Cx, Result};
use chrono::TimeDelta;
use live_model::copyright::{clipped_name, playlists::PlaylistSongs};
use platform_access::{PlatformAccess as _, spotify::Player};
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::{PlatformError, spotify::playlist::PlaylistTracks};
use tokio::time::timeout;

/// Number of entries that an import reads. The daemon reads longer playlists.
const MAX_IMPORTED_TRACKS: usize = 500;
/// Time in which an import reads the entries.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// Part of a playlist that was read.
pub(super) struct Contents {
    /// Name.
    pub name: String,
    /// Version.
    pub snapshot_id: String,
    /// Songs.
    pub songs: Songs,
}

/// Songs that were read.
pub(super) enum Songs {
    /// All songs of the playlist, among `entries` entries.
    Whole { songs: PlaylistSongs, entries: usize },
    /// Songs of the first entries.
    Beginning { songs: PlaylistSongs, entries: usize },
    /// Spotify did not return the entries. They may be read after a time.
    Unread { wait: TimeDelta },
}

impl Songs {
    /// Number of entries that were read.
    pub const fn entries(&self) -> usize {
        match self {
            Self::Whole { entries, .. } | Self::Beginning { entries, .. } => *entries,
            Self::Unread { .. } => 0,
        }
    }
}

/// Reads a playlist with the account's connection.
///
/// # Errors
/// 404 without the playlist; other refusals of Spotify. A failure that passes while the entries are read is
/// none: the daemon reads them.
pub(super) async fn read(cx: &Cx, player: &Player, playlist_id: &str) -> Result<Contents> {
    player.check_limit(cx).await?;
    let (tokens, client) = (cx.state().tokens(), cx.state().platforms().spotify());
    let holder = Holder::Channel(player.connection_id());
    let playlist =
        tokens.call(holder, |access| async move { client.playlist(&access.token, playlist_id).await }).await;
    let playlist = match playlist {
        Ok(found) => found.ok_or_else(|| ApiError::not_found("Playlist not found"))?,
        Err(Unavailable::Platform(PlatformError::RateLimited { retry_after })) => {
            return Err(player.limit(cx, retry_after).await?);
        }
        Err(unavailable) => return Err(refusal(unavailable)),
    };
    let entries = tokens.call(holder, |access| async move {
        client.playlist_tracks(&access.token, playlist_id, MAX_IMPORTED_TRACKS).await
    });
    let songs = match timeout(READ_TIMEOUT, entries).await {
        Ok(Ok(read)) => songs(read),
        Ok(Err(Unavailable::Platform(error))) if !error.is_transient() => {
            return Err(refusal(Unavailable::Platform(error)));
        }
        Ok(Err(Unavailable::Platform(PlatformError::RateLimited { retry_after }))) => {
            let _refusal: ApiError = player.limit(cx, retry_after).await?;
            let stated = retry_after.and_then(|wait| TimeDelta::from_std(wait).ok());
            Songs::Unread { wait: stated.unwrap_or_default() }
        }
        Ok(Err(Unavailable::Platform(_))) | Err(_) => Songs::Unread { wait: TimeDelta::zero() },
        Ok(Err(unavailable)) => return Err(refusal(unavailable)),
    };
    let name = clipped_name(&playlist.name).unwrap_or_else(|| playlist_id.to_owned());
    Ok(Contents { name, snapshot_id: playlist.snapshot_id, songs })
}

fn songs(read: PlaylistTracks) -> Songs {
    let mut songs = PlaylistSongs::default();
    for track in &read.tracks {
        songs.push(&track.id, track.isrc.as_deref(), &track.title, &track.artist);
    }
    let entries = read.entries;
    if read.has_more { Songs::Beginning { songs, entries } } else { Songs::Whole { songs, entries } }
}

fn refusal(unavailable: Unavailable) -> ApiError {
    match unavailable {
        Unavailable::Missing => ApiError::not_found("Spotify is not connected"),
        // A token that is refused although it is new lacks a scope.
        Unavailable::ReconnectRequired | Unavailable::Platform(PlatformError::Unauthorized) => {
            ApiError::conflict("Spotify must be connected again")
        }
        Unavailable::Failed(error) => error.into(),
        Unavailable::Platform(PlatformError::Forbidden { .. }) => {
            ApiError::bad_request("Spotify does not return this playlist to the connected user")
        }
        Unavailable::Platform(error @ PlatformError::Rejected { .. }) => {
            ApiError::bad_request(error.to_string())
        }
        other => ApiError::internal(format_args!("Spotify could not be called: {other}")),
    }
}
