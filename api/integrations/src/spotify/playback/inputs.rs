//! Inputs of commands, and their bounds.

use api_core::{ApiError, Result};
use juniper::{GraphQLEnum, GraphQLInputObject};
use platforms::spotify::player::Repeat;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use platform_access::spotify::MAX_URI_LENGTH;

/// Maximum position in a track, in milliseconds: a day (reference/music.md#player).
pub(super) const MAX_POSITION_MS: i32 = 86_400_000;
/// Maximum volume, in percent (reference/music.md#player).
pub(super) const MAX_VOLUME_PERCENT: i32 = 100;
/// Length of the id of a device, in characters (reference/music.md#player).
pub(super) const MAX_DEVICE_ID_LENGTH: usize = 128;

/// Repetition of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpotifyRepeatMode {
    /// Nothing.
    Off,
    /// The track.
    Track,
    /// The playlist or album.
    // The derived code has an associated type `Context`.
    #[serde(rename = "context")]
    #[graphql(name = "CONTEXT")]
    PlaybackContext,
}

/// Music to play.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "uri": "spotify:track:6dGnYIeXmHdcikdzNNDMm2" }))]
pub struct SpotifyPlayInput {
    /// Track: `spotify:track:…` or `https://open.spotify.com/track/…`; at most 500 characters. Absent or null: playback
    /// resumes.
    #[schema(extensions(("maxLength" = json!(MAX_URI_LENGTH))))]
    pub uri: Option<String>,
}

/// Position in the track.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "position_ms": 60000 }))]
pub struct SpotifySeekInput {
    /// Milliseconds from the begin, at most a day.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_POSITION_MS))))]
    pub position_ms: i32,
}

/// Order of the tracks.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "enabled": true }))]
pub struct SpotifyShuffleInput {
    /// True for random order.
    pub enabled: bool,
}

/// Repetition to set.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "mode": "context" }))]
pub struct SpotifyRepeatInput {
    /// `off`, `track` or `context`.
    pub mode: SpotifyRepeatMode,
}

/// Volume of the device that plays.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "percent": 40 }))]
pub struct SpotifySetVolumeInput {
    /// 0 to 100.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VOLUME_PERCENT))))]
    pub percent: i32,
}

/// Track for the queue.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "uri": "spotify:track:6dGnYIeXmHdcikdzNNDMm2" }))]
pub struct SpotifyAddToQueueInput {
    /// Track: `spotify:track:…` or `https://open.spotify.com/track/…`; at most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_URI_LENGTH))))]
    pub uri: String,
}

/// Device to play on.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "device_id": "0d1841b0976bae2a3a310dd74c0f3df354899bc8" }))]
pub struct SpotifySetDeviceInput {
    /// Id of one of the devices of `spotifyState`, 1 to 128 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DEVICE_ID_LENGTH))))]
    pub device_id: String,
}

impl From<SpotifyRepeatMode> for Repeat {
    fn from(mode: SpotifyRepeatMode) -> Self {
        match mode {
            SpotifyRepeatMode::Off => Self::Off,
            SpotifyRepeatMode::Track => Self::Track,
            SpotifyRepeatMode::PlaybackContext => Self::Context,
        }
    }
}

impl From<Repeat> for SpotifyRepeatMode {
    fn from(repeat: Repeat) -> Self {
        match repeat {
            Repeat::Off => Self::Off,
            Repeat::Track => Self::Track,
            Repeat::Context => Self::PlaybackContext,
        }
    }
}

/// Checks a number from 0 to `max`.
///
/// # Errors
/// 400 that names the field and its bounds.
pub(super) fn within(field: &str, number: i32, max: i32) -> Result<i64> {
    if (0..=max).contains(&number) {
        return Ok(i64::from(number));
    }
    Err(ApiError::invalid(format!("{field} must be between 0 and {max}")))
}
