//! States of a version.

use api_core::{ApiError, Result};
use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Status of a version (docs/reference/developers.md#version-states).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtensionVersionStatus {
    /// Waits for its review.
    Pending,
    /// Withdrawn by its developer.
    Draft,
    /// Approved for testers.
    Testing,
    /// Waits for its publication after testing.
    PendingPublish,
    /// Published.
    Approved,
    /// Refused by a reviewer.
    Rejected,
    /// Published and no longer among the newest versions.
    Archived,
    /// Taken back by a reviewer.
    Revoked,
}

impl ExtensionVersionStatus {
    const ALL: [Self; 8] = [
        Self::Pending,
        Self::Draft,
        Self::Testing,
        Self::PendingPublish,
        Self::Approved,
        Self::Rejected,
        Self::Archived,
        Self::Revoked,
    ];

    /// Stored name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Draft => "draft",
            Self::Testing => "testing",
            Self::PendingPublish => "pending_publish",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Archived => "archived",
            Self::Revoked => "revoked",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// Checks that a version is in one of the states from which a step starts.
///
/// # Errors
/// 409 with the status and `done`, the name of the step.
pub(crate) fn allowed_from(
    status: ExtensionVersionStatus,
    from: &[ExtensionVersionStatus],
    done: &str,
) -> Result<()> {
    if from.contains(&status) {
        return Ok(());
    }
    Err(ApiError::conflict(format!("A version that is {} cannot be {done}", status.as_str())))
}
