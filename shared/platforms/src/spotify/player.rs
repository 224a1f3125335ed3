//! Player of a user: its state, its queue and devices, the playlists of the user, and commands
//! (reference/platforms.md#spotify-player). Commands need a Premium user.

use reqwest::{RequestBuilder, StatusCode, header::CONTENT_LENGTH};
use serde_json::json;
use shared::secret::Secret;

pub use super::objects::{Device, PlaybackState, Repeat, Track, UserPlaylist};

use super::{
    SpotifyClient, message,
    wire::{Devices, Player, Playlists, Queue, Search},
};
use crate::{
    PlatformError, Result,
    http::{Answer, authorization},
};

/// Number of playlists of one page: the most that Spotify returns.
pub const MAX_PLAYLISTS: usize = 50;
/// Most results of a search in Spotify's development mode.
pub const MAX_SEARCH_RESULTS: usize = 10;

impl SpotifyClient {
    /// State of the player; `None` when there is none, for example because no device was used for a while.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn player_state(&self, token: &Secret) -> Result<Option<PlaybackState>> {
        let answer = self.read("player", &["me", "player"], &[], token).await?;
        if answer.status == StatusCode::NO_CONTENT {
            return Ok(None);
        }
        Ok(Some(answer.json::<Player>()?.into()))
    }

    /// Tracks that are played next, in their order. Spotify returns at most about twenty. Empty when there is
    /// no player.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn queue(&self, token: &Secret) -> Result<Vec<Track>> {
        let answer = self.read("queue", &["me", "player", "queue"], &[], token).await?;
        if answer.status == StatusCode::NO_CONTENT {
            return Ok(Vec::new());
        }
        Ok(answer.json::<Queue>()?.into_tracks())
    }

    /// Devices of the user that are reachable.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn devices(&self, token: &Secret) -> Result<Vec<Device>> {
        let answer = self.read("devices", &["me", "player", "devices"], &[], token).await?;
        Ok(answer.json::<Devices>()?.into_devices())
    }

    /// First playlists of the user's library, at most [`MAX_PLAYLISTS`].
    ///
    /// # Errors
    /// `Rejected` for a token without the scope; else any [`PlatformError`].
    pub async fn playlists(&self, token: &Secret) -> Result<Vec<UserPlaylist>> {
        let limit = MAX_PLAYLISTS.to_string();
        let request = self.http.get(self.config.api_url.endpoint(&["v1", "me", "playlists"]));
        let answer = self.sent("playlists", request.query(&[("limit", &limit)]), token).await?;
        if answer.status == StatusCode::FORBIDDEN {
            return Err(PlatformError::rejected("The connection lacks the scope playlist-read-private"));
        }
        Ok(checked(answer)?.json::<Playlists>()?.into_playlists())
    }

    /// Tracks that a text finds, best first, at most [`MAX_SEARCH_RESULTS`].
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn search_tracks(&self, token: &Secret, text: &str, limit: usize) -> Result<Vec<Track>> {
        let limit = limit.min(MAX_SEARCH_RESULTS).to_string();
        let query = [("q", text), ("type", "track"), ("limit", limit.as_str())];
        let answer = self.read("search", &["search"], &query, token).await?;
        Ok(answer.json::<Search>()?.into_tracks())
    }

    /// Resumes playback, or plays the track of an address in place of the present one.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn play(&self, token: &Secret, uri: Option<&str>) -> Result<()> {
        let request = self.http.put(self.player_url(&["play"]));
        let request = match uri {
            Some(uri) => request.json(&json!({ "uris": [uri] })),
            None => without_body(request),
        };
        self.command("play", request, token).await
    }

    /// Plays a playlist. Returns false when Spotify finds no such playlist.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn play_playlist(&self, token: &Secret, playlist_id: &str) -> Result<bool> {
        let context = format!("spotify:playlist:{playlist_id}");
        let request = self.http.put(self.player_url(&["play"])).json(&json!({ "context_uri": context }));
        found(self.sent("play_playlist", request, token).await?)
    }

    /// Pauses playback.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn pause(&self, token: &Secret) -> Result<()> {
        let request = without_body(self.http.put(self.player_url(&["pause"])));
        self.command("pause", request, token).await
    }

    /// Skips to the next track.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn next(&self, token: &Secret) -> Result<()> {
        let request = without_body(self.http.post(self.player_url(&["next"])));
        self.command("next", request, token).await
    }

    /// Returns to the previous track.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn previous(&self, token: &Secret) -> Result<()> {
        let request = without_body(self.http.post(self.player_url(&["previous"])));
        self.command("previous", request, token).await
    }

    /// Jumps to a position in the track. A position behind its end starts the next track.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn seek(&self, token: &Secret, position_ms: i64) -> Result<()> {
        self.set("seek", ("position_ms", &position_ms.to_string()), token).await
    }

    /// Starts or ends random order.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn set_shuffle(&self, token: &Secret, enabled: bool) -> Result<()> {
        self.set("shuffle", ("state", if enabled { "true" } else { "false" }), token).await
    }

    /// Sets what is repeated.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn set_repeat(&self, token: &Secret, repeat: Repeat) -> Result<()> {
        self.set("repeat", ("state", repeat.as_str()), token).await
    }

    /// Sets the volume of the device that plays, 0 to 100.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn set_volume(&self, token: &Secret, percent: i64) -> Result<()> {
        self.set("volume", ("volume_percent", &percent.to_string()), token).await
    }

    /// Adds a track to the end of the queue.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn add_to_queue(&self, token: &Secret, uri: &str) -> Result<()> {
        let request = without_body(self.http.post(self.player_url(&["queue"])).query(&[("uri", uri)]));
        self.command("add_to_queue", request, token).await
    }

    /// Moves playback to another device; it plays there if it played before. Returns false when Spotify finds
    /// no such device.
    ///
    /// # Errors
    /// `PremiumRequired`, `NoActiveDevice`, or any other [`PlatformError`].
    pub async fn transfer(&self, token: &Secret, device_id: &str) -> Result<bool> {
        let request = self.http.put(self.player_url(&[])).json(&json!({ "device_ids": [device_id] }));
        found(self.sent("transfer", request, token).await?)
    }

    fn player_url(&self, rest: &[&str]) -> url::Url {
        self.config.api_url.endpoint(&[&["v1", "me", "player"], rest].concat())
    }

    async fn read(
        &self,
        call: &'static str,
        path: &[&str],
        query: &[(&str, &str)],
        token: &Secret,
    ) -> Result<Answer> {
        let url = self.config.api_url.endpoint(&[&["v1"], path].concat());
        let request = self.http.get(url).query(query);
        checked(self.sent(call, request, token).await?)
    }

    async fn set(&self, call: &'static str, value: (&str, &str), token: &Secret) -> Result<()> {
        let request = without_body(self.http.put(self.player_url(&[call])).query(&[value]));
        self.command(call, request, token).await
    }

    async fn command(&self, call: &'static str, request: RequestBuilder, token: &Secret) -> Result<()> {
        checked(self.sent(call, request, token).await?).map(drop)
    }

    async fn sent(&self, call: &'static str, request: RequestBuilder, token: &Secret) -> Result<Answer> {
        self.http.send(call, request.header("Authorization", authorization("Bearer", token)?)).await
    }
}

/// Spotify refuses a command without a length with 411.
fn without_body(request: RequestBuilder) -> RequestBuilder {
    request.header(CONTENT_LENGTH, "0")
}

fn found(answer: Answer) -> Result<bool> {
    let is_absent = answer.status == StatusCode::NOT_FOUND;
    match checked(answer) {
        Err(PlatformError::Rejected { .. }) if is_absent => Ok(false),
        other => other.map(|_answer| true),
    }
}

fn checked(answer: Answer) -> Result<Answer> {
    let body = answer.error_body();
    match (answer.status, body["error"]["reason"].as_str()) {
        (StatusCode::FORBIDDEN, Some("PREMIUM_REQUIRED")) => Err(PlatformError::PremiumRequired),
        (StatusCode::NOT_FOUND, Some("NO_ACTIVE_DEVICE")) => Err(PlatformError::NoActiveDevice),
        _ => answer.success(message),
    }
}
