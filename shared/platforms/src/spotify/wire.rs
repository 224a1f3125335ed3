//! Objects of Spotify's Web API as it sends them, of which any field may be absent or null.

use serde::Deserialize;

use super::objects::{Device, PlaybackState, Repeat, Track, UserPlaylist};

#[derive(Deserialize)]
pub(super) struct Player {
    #[serde(default)]
    is_playing: bool,
    progress_ms: Option<i64>,
    shuffle_state: Option<bool>,
    repeat_state: Option<String>,
    device: Option<PlayerDevice>,
    item: Option<Item>,
}

#[derive(Deserialize)]
pub(super) struct Queue {
    #[serde(default)]
    queue: Vec<Option<Item>>,
}

#[derive(Deserialize)]
pub(super) struct Devices {
    #[serde(default)]
    devices: Vec<PlayerDevice>,
}

#[derive(Deserialize)]
pub(super) struct Playlists {
    #[serde(default)]
    items: Vec<Option<LibraryPlaylist>>,
}

#[derive(Deserialize)]
pub(super) struct Search {
    tracks: Option<FoundTracks>,
}

#[derive(Deserialize)]
struct FoundTracks {
    #[serde(default)]
    items: Vec<Option<Item>>,
}

#[derive(Deserialize)]
struct Item {
    id: Option<String>,
    uri: Option<String>,
    name: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    artists: Vec<Named>,
    album: Option<Album>,
    duration_ms: Option<i64>,
    external_ids: Option<ExternalIds>,
    external_urls: Option<ExternalUrls>,
}

#[derive(Deserialize)]
struct Album {
    name: Option<String>,
    images: Option<Vec<Image>>,
}

#[derive(Deserialize)]
struct Named {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Image {
    url: String,
}

#[derive(Deserialize)]
struct ExternalIds {
    isrc: Option<String>,
}

#[derive(Deserialize)]
struct ExternalUrls {
    spotify: Option<String>,
}

#[derive(Deserialize)]
struct PlayerDevice {
    id: Option<String>,
    name: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    volume_percent: Option<i64>,
    #[serde(default)]
    is_active: bool,
    #[serde(default)]
    is_restricted: bool,
    supports_volume: Option<bool>,
}

/// Applications with extended quota get the entries as `tracks`, others as `items`.
#[derive(Deserialize)]
struct LibraryPlaylist {
    id: Option<String>,
    uri: Option<String>,
    name: Option<String>,
    owner: Option<Owner>,
    images: Option<Vec<Image>>,
    external_urls: Option<ExternalUrls>,
    items: Option<Entries>,
    tracks: Option<Entries>,
}

#[derive(Deserialize)]
struct Owner {
    display_name: Option<String>,
}

#[derive(Deserialize)]
struct Entries {
    total: Option<i64>,
}

impl From<Player> for PlaybackState {
    fn from(player: Player) -> Self {
        Self {
            is_playing: player.is_playing,
            progress_ms: player.progress_ms,
            shuffle: player.shuffle_state.unwrap_or_default(),
            repeat: match player.repeat_state.as_deref() {
                Some("track") => Repeat::Track,
                Some("context") => Repeat::Context,
                _ => Repeat::Off,
            },
            device: player.device.map(Device::from),
            item: player.item.and_then(Item::into_track),
        }
    }
}

impl Queue {
    pub(super) fn into_tracks(self) -> Vec<Track> {
        tracks(self.queue)
    }
}

impl Devices {
    pub(super) fn into_devices(self) -> Vec<Device> {
        self.devices.into_iter().map(Device::from).collect()
    }
}

impl Playlists {
    pub(super) fn into_playlists(self) -> Vec<UserPlaylist> {
        self.items.into_iter().flatten().filter_map(LibraryPlaylist::into_playlist).collect()
    }
}

impl Search {
    pub(super) fn into_tracks(self) -> Vec<Track> {
        self.tracks.map(|found| tracks(found.items)).unwrap_or_default()
    }
}

impl Item {
    /// The track that the item is; `None` for an episode.
    fn into_track(self) -> Option<Track> {
        if self.kind.is_some_and(|kind| kind != "track") {
            return None;
        }
        let (album, images) = self.album.map(|album| (album.name, album.images)).unwrap_or_default();
        Some(Track {
            id: self.id,
            uri: self.uri?,
            name: self.name.unwrap_or_default(),
            artists: self.artists.into_iter().filter_map(|artist| artist.name).collect(),
            album,
            image_url: first(images),
            duration_ms: self.duration_ms.unwrap_or_default(),
            isrc: self.external_ids.and_then(|ids| ids.isrc),
            url: self.external_urls.and_then(|urls| urls.spotify),
        })
    }
}

impl From<PlayerDevice> for Device {
    fn from(device: PlayerDevice) -> Self {
        Self {
            id: device.id.filter(|id| !id.is_empty()),
            name: device.name.unwrap_or_default(),
            kind: device.kind.unwrap_or_default(),
            supports_volume: device.supports_volume.unwrap_or(device.volume_percent.is_some()),
            volume_percent: device.volume_percent,
            is_active: device.is_active,
            is_restricted: device.is_restricted,
        }
    }
}

impl LibraryPlaylist {
    fn into_playlist(self) -> Option<UserPlaylist> {
        let id = self.id?;
        Some(UserPlaylist {
            uri: self.uri.unwrap_or_else(|| format!("spotify:playlist:{id}")),
            id,
            name: self.name.unwrap_or_default(),
            owner: self.owner.and_then(|owner| owner.display_name),
            image_url: first(self.images),
            url: self.external_urls.and_then(|urls| urls.spotify),
            track_count: self.items.or(self.tracks).and_then(|entries| entries.total).unwrap_or_default(),
        })
    }
}

fn tracks(items: Vec<Option<Item>>) -> Vec<Track> {
    items.into_iter().flatten().filter_map(Item::into_track).collect()
}

/// Address of the first image, which is the largest.
fn first(images: Option<Vec<Image>>) -> Option<String> {
    images?.into_iter().next().map(|image| image.url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn player(value: Value) -> PlaybackState {
        serde_json::from_value::<Player>(value).unwrap().into()
    }

    #[test]
    fn player_without_fields_is_idle() {
        let idle = PlaybackState {
            is_playing: false,
            progress_ms: None,
            shuffle: false,
            repeat: Repeat::Off,
            device: None,
            item: None,
        };
        assert_eq!(player(json!({})), idle);
        let nulls = json!({ "is_playing": false, "device": null, "item": null, "repeat_state": "other" });
        assert_eq!(player(nulls), idle);
    }

    #[test]
    fn wire_episodes_are_no_tracks_and_local_files_are() {
        let episode = json!({ "id": "1", "uri": "spotify:episode:1", "type": "episode", "name": "Talk" });
        assert_eq!(player(json!({ "is_playing": true, "item": episode })).item, None);
        let local = json!({ "id": null, "uri": "spotify:local:A:B:C:1", "type": "track", "name": "C",
            "artists": [{ "name": "A" }, { "name": null }], "album": { "name": null, "images": null } });
        let track = player(json!({ "is_playing": true, "item": local })).item.unwrap();
        assert_eq!((track.id, track.artists, track.album), (None, vec!["A".to_owned()], None));
    }

    #[test]
    fn entries_of_a_playlist_are_counted_under_either_name() {
        for name in ["items", "tracks"] {
            let playlists = json!({ "items": [{ "id": "1", "name": "Mix", name: { "total": 3 } }, null] });
            let playlists = serde_json::from_value::<Playlists>(playlists).unwrap().into_playlists();
            assert_eq!((playlists.len(), playlists[0].track_count), (1, 3));
            assert_eq!(playlists[0].uri, "spotify:playlist:1");
        }
    }
}
