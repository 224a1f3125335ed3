//! Deletion of rows in other stores that follows a commit in the primary database.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Job;

/// Erases the data of a dissolved account outside of the main database: rows over time, event logs, stored
/// objects. Also deletes the public statistics of its channels that no other account has connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EraseAccount {
    /// The account.
    pub account_id: Uuid,
    /// Channels of the account: slug of the platform, and id on it. They are pairs without names, because an
    /// erasure of the person whose channel it is must not remove the job (reference/privacy.md#redis).
    #[serde(default)]
    pub channels: Vec<(String, String)>,
    /// Channels of its installs, overlays and widgets, whose event logs are deleted.
    #[serde(default)]
    pub resource_logs: Vec<String>,
    /// True for the second run, for rows that were about to be written at the first.
    #[serde(default)]
    pub is_repeat: bool,
}

impl Job for EraseAccount {
    const QUEUE: &'static str = "account_erasure";
}

/// Deletes the samples of a session that was deleted (reference/history.md#deletion).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteSamples {
    /// Account of the session.
    pub account_id: Uuid,
    /// First minute of the session.
    pub from: DateTime<Utc>,
    /// End of its last minute.
    pub to: DateTime<Utc>,
}

impl Job for DeleteSamples {
    const QUEUE: &'static str = "sample_deletions";
}
