//! Tracks, devices and playlists as they are returned.

use juniper::GraphQLObject;
use platforms::spotify::player::{Device, Track, UserPlaylist};
use serde::Serialize;
use utoipa::ToSchema;

/// Number of playlists that are returned (reference/music.md#library).
pub(super) const MAX_PLAYLISTS: usize = 50;

/// Track of Spotify.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct SpotifyTrack {
    /// Id of the track. Null: a local file.
    pub track_id: Option<String>,
    /// Address of the form `spotify:track:{id}`.
    pub uri: String,
    /// Title.
    pub title: String,
    /// Names of the artists, separated by commas.
    pub artist: String,
    /// Names of the artists.
    pub artists: Vec<String>,
    /// Name of the album. Null: unknown.
    pub album: Option<String>,
    /// Address of the cover. Null: none.
    pub image_url: Option<String>,
    /// Address of the track's page. Null: none.
    pub url: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: i32,
}

/// Track in the player, as `spotify:track` publishes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct SpotifyNowPlaying {
    /// Id of the track. Null: a local file.
    pub track_id: Option<String>,
    /// Address of the form `spotify:track:{id}`.
    pub uri: String,
    /// Title.
    pub title: String,
    /// Names of the artists, separated by commas.
    pub artist: String,
    /// Names of the artists.
    pub artists: Vec<String>,
    /// Name of the album. Null: unknown.
    pub album: Option<String>,
    /// Address of the cover. Null: none.
    pub image_url: Option<String>,
    /// Address of the track's page. Null: none.
    pub url: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: i32,
    /// Position in milliseconds. Null: unknown.
    pub progress_ms: Option<i32>,
    /// True while it plays.
    pub is_playing: bool,
    /// `safe`, `blocked`, `reported` or `unknown`. Null: not checked, because the player is not polled or the
    /// account has no `feature:copyright_detection`.
    pub copyright_status: Option<String>,
}

/// Device that plays music of Spotify.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct SpotifyDevice {
    /// Id. Null: a device that cannot be chosen.
    pub id: Option<String>,
    /// Name.
    pub name: String,
    /// Kind of device as Spotify names it, for example `Computer`.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub device_type: String,
    /// Volume in percent. Null: it cannot be read.
    pub volume: Option<i32>,
    /// True for the device that plays.
    pub is_active: bool,
    /// True when the device takes no commands.
    pub is_restricted: bool,
}

/// Playlist in the user's library at Spotify.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct SpotifyPlaylist {
    /// Id at Spotify.
    pub id: String,
    /// Address of the form `spotify:playlist:{id}`.
    pub uri: String,
    /// Name.
    pub name: String,
    /// Name of the owner. Null: unknown.
    pub owner: Option<String>,
    /// Address of the picture. Null: none.
    pub image_url: Option<String>,
    /// Address of the playlist's page. Null: none.
    pub url: Option<String>,
    /// Number of entries.
    pub track_count: i32,
}

impl From<Track> for SpotifyTrack {
    fn from(track: Track) -> Self {
        Self {
            track_id: track.id,
            uri: track.uri,
            title: track.name,
            artist: track.artists.join(", "),
            artists: track.artists,
            album: track.album,
            image_url: track.image_url,
            url: track.url,
            duration_ms: int(track.duration_ms),
        }
    }
}

impl SpotifyNowPlaying {
    /// Adds the state of the player to its track.
    pub(super) fn new(
        track: SpotifyTrack,
        progress_ms: Option<i32>,
        is_playing: bool,
        copyright_status: Option<String>,
    ) -> Self {
        let SpotifyTrack { track_id, uri, title, artist, artists, album, image_url, url, duration_ms } =
            track;
        Self {
            track_id,
            uri,
            title,
            artist,
            artists,
            album,
            image_url,
            url,
            duration_ms,
            progress_ms,
            is_playing,
            copyright_status,
        }
    }
}

impl From<Device> for SpotifyDevice {
    fn from(device: Device) -> Self {
        Self {
            id: device.id,
            name: device.name,
            device_type: device.kind,
            volume: device.volume_percent.map(int),
            is_active: device.is_active,
            is_restricted: device.is_restricted,
        }
    }
}

impl From<UserPlaylist> for SpotifyPlaylist {
    fn from(playlist: UserPlaylist) -> Self {
        Self {
            id: playlist.id,
            uri: playlist.uri,
            name: playlist.name,
            owner: playlist.owner,
            image_url: playlist.image_url,
            url: playlist.url,
            track_count: int(playlist.track_count),
        }
    }
}

/// Number of a platform in the range of GraphQL.
pub(super) fn int(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(if number < 0 { i32::MIN } else { i32::MAX })
}
