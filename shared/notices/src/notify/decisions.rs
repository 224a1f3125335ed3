//! States of extensions in the texts of notifications.

use serde::{Deserialize, Serialize};

/// Decision of a reviewer (reference/developers.md#review).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewDecision {
    /// The version may be tested.
    ApprovedForTesting,
    /// The version is published.
    Published,
    /// The version is rejected.
    Rejected,
    /// A published version is revoked.
    Revoked,
    /// The extension is suspended.
    Suspended,
    /// The suspension is lifted.
    Unsuspended,
}

/// State of an installed extension after a revocation or suspension (reference/extensions.md#roll-out).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus<'a> {
    /// The extension is suspended.
    Suspended,
    /// The running version is revoked, and no other may run without the account's consent.
    Stopped,
    /// The running version is revoked, and another runs in its place.
    FellBack { to: &'a str },
    /// It runs again.
    Restored,
}

impl RunStatus<'_> {
    pub(super) const fn as_str(&self) -> &'static str {
        match self {
            Self::Suspended => "suspended",
            Self::Stopped => "stopped",
            Self::FellBack { .. } => "fell_back",
            Self::Restored => "restored",
        }
    }

    pub(super) const fn words(&self) -> &'static str {
        match self {
            Self::Suspended => "suspended",
            Self::Stopped => "stopped",
            Self::FellBack { .. } => "another version runs",
            Self::Restored => "runs again",
        }
    }

    pub(super) fn sentence(&self, extension_name: &str) -> String {
        match self {
            Self::Suspended => {
                format!("{extension_name} is suspended and does not run. Its settings and data are kept.")
            }
            Self::Stopped => format!(
                "The version of {extension_name} that you had is revoked, and no other may run without your consent."
            ),
            Self::FellBack { to } => {
                format!(
                    "The version of {extension_name} that you had is revoked; version {to} runs in its place."
                )
            }
            Self::Restored => format!("{extension_name} runs again."),
        }
    }

    pub(super) const fn version(&self) -> Option<&str> {
        match self {
            Self::FellBack { to } => Some(to),
            _ => None,
        }
    }
}

impl ReviewDecision {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::ApprovedForTesting => "approved for testing",
            Self::Published => "published",
            Self::Rejected => "rejected",
            Self::Revoked => "revoked",
            Self::Suspended => "suspended",
            Self::Unsuspended => "released from suspension",
        }
    }
}
