//! State of a player in the form in which it is stored and published.

use chrono::{DateTime, Utc};
use live_model::music::{Playback, Song};
use platforms::spotify::player::{Device, PlaybackState, Repeat, Track};
use serde_json::{Value, json};

/// Returns what a poll saw. Without a player nothing plays.
pub(super) fn playback(state: Option<PlaybackState>, now: DateTime<Utc>) -> Playback {
    let state = state.unwrap_or(PlaybackState {
        is_playing: false,
        progress_ms: None,
        shuffle: false,
        repeat: Repeat::Off,
        device: None,
        item: None,
    });
    Playback {
        is_playing: state.is_playing,
        progress_ms: state.progress_ms.filter(|_| state.item.is_some()),
        shuffle: state.shuffle,
        repeat: state.repeat.as_str().to_owned(),
        volume: state.device.as_ref().and_then(|device| device.volume_percent),
        device: state.device.map_or(Value::Null, device),
        song: state.item.map(song),
        seen_at: now,
        state_published_at: now,
        alerted: None,
        unpublished: Vec::new(),
    }
}

fn song(track: Track) -> Song {
    Song {
        track_id: track.id,
        uri: track.uri,
        title: track.name,
        artists: track.artists,
        album: track.album,
        image_url: track.image_url,
        url: track.url,
        duration_ms: track.duration_ms,
        copyright_status: None,
    }
}

fn device(device: Device) -> Value {
    // The keys of the same device in `spotifyState`.
    json!({
        "id": device.id,
        "name": device.name,
        "type": device.kind,
        "volume": device.volume_percent,
        "is_active": device.is_active,
        "is_restricted": device.is_restricted,
    })
}
