//! Reading of one playlist.

use std::time::Duration;

use chrono::TimeDelta;
use diesel_async::AsyncConnection;
use foundation::audit::{self, Actor, Entry, Scope};
use live_model::{
    copyright::{
        clipped_name,
        playlists::{self, LIST_IS_FULL, ListChange, PlaylistSongs, PlaylistSync, Reading, lock_lists},
    },
    music::Schedule,
};
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::{
    PlatformError,
    spotify::playlist::{MAX_PLAYLIST_TRACKS, Playlist, PlaylistTracks},
};
use serde_json::json;
use shared::Result;
use tokio::time::timeout;
use uuid::Uuid;

use super::{Syncs, db, db::Due, outcome::Outcome};

/// Time in which a playlist is read; shorter than its claim.
const READ_TIMEOUT: Duration = Duration::from_secs(180);
/// Pause when Spotify states none.
const MIN_PAUSE: TimeDelta = TimeDelta::minutes(1);

impl Syncs {
    /// Reads a playlist and brings the list to its songs.
    pub(super) async fn sync(&self, due: &Due) -> Outcome {
        let (Some(connection_id), Some(app)) = (due.connection_id, &due.app) else {
            return Outcome::NotConnected("Spotify is not connected");
        };
        if let Some(until) = self.pauses.until(app, self.context.clock.now()) {
            return Outcome::Postponed(until);
        }
        match timeout(READ_TIMEOUT, self.read(due, connection_id)).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(unavailable)) => self.refused(due, app, unavailable).await,
            Err(_) => Outcome::Failed,
        }
    }

    async fn read(&self, due: &Due, connection_id: Uuid) -> Result<Outcome, Unavailable> {
        let (holder, id) = (Holder::Channel(connection_id), due.playlist_id.as_str());
        let (tokens, client) = (&self.context.tokens, self.context.platforms.spotify());
        let playlist =
            tokens.call(holder, |access| async move { client.playlist(&access.token, id).await }).await?;
        let Some(playlist) = playlist else { return Ok(Outcome::Missing) };
        if due.snapshot_id.as_ref() == Some(&playlist.snapshot_id) {
            let name = clipped_name(&playlist.name).unwrap_or_else(|| due.playlist_id.clone());
            return Ok(Outcome::Unchanged { name });
        }
        let tracks = tokens
            .call(holder, |access| async move {
                client.playlist_tracks(&access.token, id, MAX_PLAYLIST_TRACKS).await
            })
            .await?;
        Ok(self.fill(due, &playlist, &tracks).await?)
    }

    /// Brings the list to the songs that were read.
    async fn fill(&self, due: &Due, playlist: &Playlist, tracks: &PlaylistTracks) -> Result<Outcome> {
        let mut songs = PlaylistSongs::default();
        for track in &tracks.tracks {
            songs.push(&track.id, track.isrc.as_deref(), &track.title, &track.artist);
        }
        let (sync, now) = (due.sync()?, self.context.clock.now());
        let name = clipped_name(&playlist.name).unwrap_or_else(|| due.playlist_id.clone());
        let mut connection = self.context.databases.postgres.get().await?;
        connection
            .transaction(async |connection| {
                lock_lists(connection, sync.account).await?;
                if !db::lock(connection, due).await? {
                    return Ok(Outcome::Ended);
                }
                let change = playlists::replace_songs(connection, sync, &songs, now).await?;
                let reading = Reading {
                    name: &name,
                    snapshot_id: (!change.is_full).then_some(playlist.snapshot_id.as_str()),
                    track_count: songs.len(),
                    error: change.is_full.then_some(LIST_IS_FULL),
                    continued_at: None,
                };
                playlists::finish_reading(connection, sync, &reading, now).await?;
                if change.added + change.removed > 0 {
                    audit::record(connection, entry(due, sync, &name, change)).await?;
                }
                Ok(Outcome::Synced)
            })
            .await
    }

    async fn refused(&self, due: &Due, app: &str, unavailable: Unavailable) -> Outcome {
        match unavailable {
            Unavailable::Missing => Outcome::NotConnected("Spotify is not connected"),
            // A token that is refused although it is new lacks a scope.
            Unavailable::ReconnectRequired | Unavailable::Platform(PlatformError::Unauthorized) => {
                Outcome::NotConnected("Spotify must be connected again")
            }
            Unavailable::Platform(PlatformError::RateLimited { retry_after }) => {
                self.pause(app, retry_after).await
            }
            Unavailable::Platform(PlatformError::Forbidden { .. }) => {
                Outcome::Refused("Spotify does not return this playlist to the connected user".into())
            }
            Unavailable::Platform(PlatformError::Rejected { message }) => Outcome::Refused(message),
            error => {
                tracing::warn!(sync_id = %due.id, %error, "a playlist could not be read");
                Outcome::Failed
            }
        }
    }

    /// Stops the playlists and the music polls of all accounts whose tokens belong to the application, in every
    /// copy.
    async fn pause(&self, app: &str, retry_after: Option<Duration>) -> Outcome {
        let stated = retry_after.and_then(|wait| TimeDelta::from_std(wait).ok());
        let until = self.context.clock.now() + stated.unwrap_or(MIN_PAUSE);
        self.pauses.pause(app, until);
        let postponed = async {
            let mut connection = self.context.databases.postgres.get().await?;
            db::postpone_application(&mut connection, app, until).await?;
            Schedule::new(&self.context.redis).pause(app, until).await
        };
        if let Err(error) = postponed.await {
            tracing::warn!(%error, "the calls of an application cannot be postponed everywhere");
        }
        Outcome::Postponed(until)
    }
}

fn entry(due: &Due, sync: PlaylistSync, name: &str, change: ListChange) -> Entry<'static> {
    Entry {
        scope: Scope::Account(due.account_id.uuid()),
        actor: Actor::System,
        action: "playlist_sync:synced",
        resource_type: "playlist_sync",
        resource_id: Some(due.id.to_string()),
        metadata: json!({ "playlist_id": due.playlist_id, "name": name, "list": sync.list.as_str(),
            "added": change.added, "removed": change.removed }),
        ip: None,
    }
}
