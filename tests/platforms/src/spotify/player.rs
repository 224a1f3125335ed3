//! Players of users, their libraries and the catalogue, as the Web API shows them.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

/// Players and libraries by user, and the tracks of the catalogue.
#[derive(Debug, Default)]
pub(crate) struct Players {
    pub(super) by_user: HashMap<String, Player>,
    pub(super) libraries: HashMap<String, Vec<UserPlaylist>>,
    /// Users without Premium.
    pub(super) free: HashSet<String>,
    pub(super) catalogue: Vec<Track>,
    /// Calls by user, as `GET /me/player`.
    pub(super) calls: HashMap<String, Vec<String>>,
}

/// A player. It has no state for the Web API while none of its devices is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    pub is_playing: bool,
    pub progress_ms: i64,
    pub shuffle: bool,
    /// `off`, `track` or `context`.
    pub repeat: String,
    pub devices: Vec<Device>,
    pub track: Option<Track>,
    pub queue: Vec<Track>,
    /// Tracks that were played before, the last one last.
    pub played: Vec<Track>,
    /// Playlist that plays.
    pub context_uri: Option<String>,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    pub id: String,
    pub name: String,
    pub is_active: bool,
    pub is_restricted: bool,
    /// Absent when its volume cannot be controlled.
    pub volume_percent: Option<i64>,
}

/// A track of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    pub id: String,
    pub name: String,
    pub artists: Vec<String>,
    pub album: String,
    pub duration_ms: i64,
    pub isrc: Option<String>,
}

/// A playlist in a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlaylist {
    pub id: String,
    pub name: String,
    pub owner: String,
    pub track_count: usize,
}

impl Default for Player {
    /// A computer that is active and plays nothing.
    fn default() -> Self {
        Self {
            is_playing: false,
            progress_ms: 0,
            shuffle: false,
            repeat: "off".into(),
            devices: vec![Device::new("computer", true)],
            track: None,
            queue: Vec::new(),
            played: Vec::new(),
            context_uri: None,
        }
    }
}

impl Player {
    /// A computer that plays a track.
    #[must_use]
    pub fn playing(track: Track) -> Self {
        Self { is_playing: true, track: Some(track), ..Self::default() }
    }

    pub(super) fn active(&self) -> Option<&Device> {
        self.devices.iter().find(|device| device.is_active)
    }

    /// The playback state; `None` without an active device.
    pub(super) fn json(&self) -> Option<Value> {
        let device = self.active()?.json();
        let context = self.context_uri.as_ref().map(|uri| json!({ "type": "playlist", "uri": uri }));
        Some(json!({
            "device": device,
            "repeat_state": self.repeat,
            "shuffle_state": self.shuffle,
            "context": context,
            "timestamp": 1_700_000_000_000_i64,
            "progress_ms": self.track.as_ref().map(|_| self.progress_ms),
            "is_playing": self.is_playing,
            "item": self.track.as_ref().map(Track::json),
            "currently_playing_type": if self.track.is_some() { "track" } else { "unknown" },
            "actions": { "disallows": {} },
        }))
    }
}

impl Device {
    /// A device with a volume of half.
    #[must_use]
    pub fn new(id: &str, is_active: bool) -> Self {
        let name = format!("My {id}");
        Self { id: id.into(), name, is_active, is_restricted: false, volume_percent: Some(50) }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "id": self.id,
            "is_active": self.is_active,
            "is_private_session": false,
            "is_restricted": self.is_restricted,
            "name": self.name,
            "type": "Computer",
            "volume_percent": self.volume_percent,
            "supports_volume": self.volume_percent.is_some(),
        })
    }
}

impl Track {
    /// A track of three minutes. The number becomes its id.
    #[must_use]
    pub fn new(number: usize, name: &str, artists: &[&str]) -> Self {
        Self {
            id: format!("{number:0>22}"),
            name: name.into(),
            artists: artists.iter().map(|name| (*name).to_owned()).collect(),
            album: format!("Album of {name}"),
            duration_ms: 180_000,
            isrc: None,
        }
    }

    /// Address of the track.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("spotify:track:{}", self.id)
    }

    pub(super) fn json(&self) -> Value {
        let artists: Vec<Value> =
            self.artists.iter().map(|name| json!({ "name": name, "type": "artist" })).collect();
        let url = |kind: &str| json!({ "spotify": format!("https://open.spotify.com/{kind}/{}", self.id) });
        json!({
            "id": self.id,
            "uri": self.uri(),
            "type": "track",
            "name": self.name,
            "artists": artists,
            "album": {
                "album_type": "album",
                "name": self.album,
                "images": [
                    { "url": format!("https://i.example/640/{}", self.id), "height": 640, "width": 640 },
                    { "url": format!("https://i.example/64/{}", self.id), "height": 64, "width": 64 },
                ],
                "external_urls": url("album"),
            },
            "duration_ms": self.duration_ms,
            "explicit": false,
            "is_local": false,
            "external_ids": self.isrc.as_ref().map_or(json!({}), |isrc| json!({ "isrc": isrc })),
            "external_urls": url("track"),
        })
    }
}

impl UserPlaylist {
    pub(super) fn uri(&self) -> String {
        format!("spotify:playlist:{}", self.id)
    }

    /// In development mode the entries are counted under `items`.
    pub(super) fn json(&self) -> Value {
        json!({
            "id": self.id,
            "uri": self.uri(),
            "type": "playlist",
            "name": self.name,
            "collaborative": false,
            "public": true,
            "description": "",
            "images": [{ "url": format!("https://i.example/playlist/{}", self.id), "height": null, "width": null }],
            "owner": { "id": self.owner, "display_name": self.owner, "type": "user" },
            "external_urls": { "spotify": format!("https://open.spotify.com/playlist/{}", self.id) },
            "snapshot_id": "snapshot-1",
            "items": { "href": format!("https://api.spotify.com/v1/playlists/{}/items", self.id),
                "total": self.track_count },
        })
    }
}
