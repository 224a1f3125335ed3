//! Exports of accounts.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Job;

/// Makes an archive of an account that was requested (reference/archives.md#export).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportAccount {
    /// Row of the archive.
    pub archive_id: Uuid,
}

impl Job for ExportAccount {
    const QUEUE: &'static str = "account_exports";
}
