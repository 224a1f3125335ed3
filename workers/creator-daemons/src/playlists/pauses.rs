//! Applications that Spotify asked for fewer calls. The limit is that of the application, so one refusal
//! stops the playlists of all its accounts (reference/platforms.md#spotify).

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, Utc};

/// Times until which the applications are not used.
#[derive(Debug, Default)]
pub(super) struct Pauses(Mutex<HashMap<String, DateTime<Utc>>>);

impl Pauses {
    /// Returns the end of the application's pause; `None` without one.
    pub fn until(&self, app: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut paused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        paused.retain(|_, until| *until > now);
        paused.get(app).copied()
    }

    /// Stops the application until this time.
    pub fn pause(&self, app: &str, until: DateTime<Utc>) {
        let mut paused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let end = paused.entry(app.to_owned()).or_insert(until);
        *end = until.max(*end);
    }
}
