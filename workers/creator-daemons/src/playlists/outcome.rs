//! Outcome of a reading, and the time of the next one (reference/copyright.md#playlists).

use chrono::{DateTime, TimeDelta, Utc};
use live_model::copyright::playlists::{SYNC_INTERVAL, spread};
use shared::Result;

use super::{Syncs, db, db::Due};

/// Interval between readings of a playlist that Spotify does not return.
const REFUSED_INTERVAL: TimeDelta = TimeDelta::days(1);
/// Interval after a failure that passes.
const RETRY_INTERVAL: TimeDelta = TimeDelta::minutes(10);

/// Result of a reading.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The list has the songs of the playlist.
    Synced,
    /// The playlist has not changed.
    Unchanged {
        /// Name of the playlist.
        name: String,
    },
    /// There is no such playlist.
    Missing,
    /// Spotify refuses the playlist, for this reason.
    Refused(String),
    /// There is no connection that works, for this reason.
    NotConnected(&'static str),
    /// The account does not have the feature.
    SwitchedOff,
    /// Spotify asks for fewer calls until this time.
    Postponed(DateTime<Utc>),
    /// The account ended the sync meanwhile.
    Ended,
    /// Spotify or the database is not available.
    Failed,
}

impl Outcome {
    /// Text in metrics.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Synced => "synced",
            Self::Unchanged { .. } => "unchanged",
            Self::Missing => "missing",
            Self::Refused(_) => "refused",
            Self::NotConnected(_) => "not_connected",
            Self::SwitchedOff => "switched_off",
            Self::Postponed(_) => "postponed",
            Self::Ended => "ended",
            Self::Failed => "failed",
        }
    }
}

impl Syncs {
    /// Stores the outcome, the time of the next reading, and the end of the claim.
    pub(super) async fn store(&self, due: &Due, outcome: Outcome) -> Result<()> {
        let now = self.context.clock.now();
        let after = |interval| now + spread(interval, due.id);
        let connection = &mut self.context.databases.postgres.get().await?;
        match outcome {
            // Stored with the songs, or there is nothing to store.
            Outcome::Synced | Outcome::Ended => Ok(()),
            Outcome::Unchanged { name } => {
                db::unchanged(connection, due, &name, now, after(SYNC_INTERVAL)).await
            }
            Outcome::Missing => {
                db::failed(connection, due, "Playlist not found", now, after(REFUSED_INTERVAL)).await
            }
            Outcome::Refused(reason) => {
                db::failed(connection, due, &reason, now, after(REFUSED_INTERVAL)).await
            }
            Outcome::NotConnected(reason) => {
                db::failed(connection, due, reason, now, after(SYNC_INTERVAL)).await
            }
            Outcome::Failed => {
                db::failed(connection, due, "Spotify is not available", now, after(RETRY_INTERVAL)).await
            }
            Outcome::SwitchedOff => db::postpone(connection, due, after(SYNC_INTERVAL)).await,
            Outcome::Postponed(until) => db::postpone(connection, due, until).await,
        }
    }
}
