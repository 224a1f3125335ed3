//! Playlists and their tracks (reference/platforms.md#spotify-playlists).

use reqwest::StatusCode;
use serde::Deserialize;
use shared::secret::Secret;

use super::{SpotifyClient, address::id_in_address, message};
use crate::{
    PlatformError, Result,
    http::{Answer, authorization},
};

/// Number of entries of a playlist that are read (reference/copyright.md#playlists).
pub const MAX_PLAYLIST_TRACKS: usize = 2_000;
/// Number of entries of one page: the most that Spotify returns.
const PAGE_SIZE: usize = 50;
/// Fields of a page. Applications with extended quota get the entry as `track`, others as `item`.
const PAGE_FIELDS: &str = "total,items(is_local,item(id,type,name,artists(name),external_ids(isrc)),\
    track(id,type,name,artists(name),external_ids(isrc)))";

/// Playlist without its entries.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Playlist {
    /// Name.
    #[serde(default)]
    pub name: String,
    /// Version: another one after each change of the entries.
    pub snapshot_id: String,
}

/// Track of Spotify's catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaylistTrack {
    /// Id at Spotify.
    pub id: String,
    /// International Standard Recording Code.
    pub isrc: Option<String>,
    /// Title.
    pub title: String,
    /// Names of the artists, separated by commas.
    pub artist: String,
}

/// Entries of a playlist, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaylistTracks {
    /// Tracks of the catalogue. Local files and episodes are none.
    pub tracks: Vec<PlaylistTrack>,
    /// Number of entries that were read, also those that are no tracks of the catalogue.
    pub entries: usize,
    /// True when the playlist has more entries than were requested.
    pub has_more: bool,
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    items: Vec<Option<Entry>>,
    total: usize,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    is_local: bool,
    item: Option<Item>,
    track: Option<Item>,
}

#[derive(Deserialize)]
struct Item {
    id: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    name: Option<String>,
    #[serde(default)]
    artists: Vec<Artist>,
    external_ids: Option<ExternalIds>,
}

#[derive(Deserialize)]
struct Artist {
    name: Option<String>,
}

#[derive(Deserialize)]
struct ExternalIds {
    isrc: Option<String>,
}

impl SpotifyClient {
    /// Name and version of a playlist; `None` when there is no such playlist, or the user cannot see it.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn playlist(&self, token: &Secret, playlist_id: &str) -> Result<Option<Playlist>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["v1", "playlists", playlist_id]))
            .query(&[("fields", "name,snapshot_id")])
            .header("Authorization", authorization("Bearer", token)?);
        let answer = self.http.send("playlist", request).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        readable(answer)?.json().map(Some)
    }

    /// Tracks among the first `limit` entries of a playlist, at most [`MAX_PLAYLIST_TRACKS`], with one call
    /// for each page.
    ///
    /// # Errors
    /// `Forbidden` when Spotify does not return the entries to this user, as of playlists of others to an
    /// application in development mode; else any [`PlatformError`].
    pub async fn playlist_tracks(
        &self,
        token: &Secret,
        playlist_id: &str,
        limit: usize,
    ) -> Result<PlaylistTracks> {
        let limit = limit.min(MAX_PLAYLIST_TRACKS);
        let mut read = PlaylistTracks::default();
        loop {
            let size = PAGE_SIZE.min(limit.saturating_sub(read.entries));
            let page = self.page(token, playlist_id, read.entries, size).await?;
            let found = page.items.len().min(size);
            read.tracks.extend(page.items.into_iter().take(size).flatten().filter_map(Entry::into_track));
            read.entries += found;
            read.has_more = page.total > read.entries;
            if found == 0 || !read.has_more || read.entries >= limit {
                return Ok(read);
            }
        }
    }

    async fn page(&self, token: &Secret, playlist_id: &str, offset: usize, limit: usize) -> Result<Page> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["v1", "playlists", playlist_id, "items"]))
            .query(&[("fields", PAGE_FIELDS)])
            .query(&[("limit", limit), ("offset", offset)])
            .header("Authorization", authorization("Bearer", token)?);
        readable(self.http.send("playlist_items", request).await?)?.json()
    }
}

impl Entry {
    /// The track of the catalogue that the entry is, if it is one.
    fn into_track(self) -> Option<PlaylistTrack> {
        let item = self.item.or(self.track).filter(|_| !self.is_local)?;
        if item.kind.is_some_and(|kind| kind != "track") {
            return None;
        }
        let artists: Vec<String> = item.artists.into_iter().filter_map(|artist| artist.name).collect();
        Some(PlaylistTrack {
            id: item.id?,
            isrc: item.external_ids.and_then(|ids| ids.isrc),
            title: item.name?,
            artist: artists.join(", "),
        })
    }
}

/// Response of a success. A 403 is a property of the playlist and the application, not of the token.
fn readable(answer: Answer) -> Result<Answer> {
    let status = answer.status;
    match answer.success(message) {
        Err(PlatformError::Rejected { message }) if status == StatusCode::FORBIDDEN => {
            Err(PlatformError::Forbidden { message })
        }
        other => other,
    }
}

/// Id of the playlist of an address: `https://open.spotify.com/playlist/{id}`, also with a language or a
/// query, or `spotify:playlist:{id}`. `None` for any other text.
#[must_use]
pub fn playlist_of(address: &str) -> Option<String> {
    id_in_address("playlist", address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const ID: &str = "3cEYpjA9oz9GiPac4AsH4n";

    fn track(entry: Value) -> Option<PlaylistTrack> {
        serde_json::from_value::<Entry>(entry).unwrap().into_track()
    }

    #[test]
    fn playlist_of_reads_the_addresses_of_playlists_only() {
        for address in [
            format!("https://open.spotify.com/playlist/{ID}"),
            format!(" https://open.spotify.com/intl-de/playlist/{ID}?si=0123456789abcdef "),
            format!("spotify:playlist:{ID}"),
        ] {
            assert_eq!(playlist_of(&address).as_deref(), Some(ID), "{address}");
        }
        for address in [
            String::new(),
            ID.to_owned(),
            format!("http://open.spotify.com/playlist/{ID}"),
            format!("https://open.spotify.com.example/playlist/{ID}"),
            format!("https://open.spotify.com/track/{ID}"),
            format!("https://open.spotify.com/playlist/{ID}/more"),
            format!("https://open.spotify.com/playlist/{ID}x"),
            format!("spotify:album:{ID}"),
        ] {
            assert_eq!(playlist_of(&address), None, "{address}");
        }
    }

    #[test]
    fn playlist_entries_are_tracks_of_the_catalogue_under_either_name() {
        let song = serde_json::json!({ "id": "1", "type": "track", "name": "Sun",
            "artists": [{ "name": "A" }, { "name": "B" }], "external_ids": { "isrc": "GBAYE0601690" } });
        let read = PlaylistTrack {
            id: "1".into(),
            isrc: Some("GBAYE0601690".into()),
            title: "Sun".into(),
            artist: "A, B".into(),
        };
        assert_eq!(track(serde_json::json!({ "is_local": false, "track": song })), Some(read.clone()));
        assert_eq!(track(serde_json::json!({ "item": song, "track": song })), Some(read));
        let episode = serde_json::json!({ "id": "1", "type": "episode", "name": "Talk" });
        for other in [
            serde_json::json!({ "is_local": true, "track": song }),
            serde_json::json!({ "is_local": false, "track": null }),
            serde_json::json!({ "track": episode }),
        ] {
            assert_eq!(track(other), None);
        }
    }
}
