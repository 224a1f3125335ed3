//! Statuses of ideas and kinds of votes (reference/ideas.md#status).

use api_core::{ApiError, Result};
use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Status of an idea.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdeaStatus {
    /// Nothing is decided.
    #[graphql(name = "open")]
    Open,
    /// It will be made.
    #[graphql(name = "planned")]
    Planned,
    /// It is being made.
    #[graphql(name = "in_progress")]
    InProgress,
    /// It is made. The idea takes no new votes.
    #[graphql(name = "done")]
    Done,
    /// It will not be made. The idea takes no new votes.
    #[graphql(name = "declined")]
    Declined,
}

/// Kind of a vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdeaVoteType {
    /// In favour.
    #[graphql(name = "up")]
    Up,
    /// Against.
    #[graphql(name = "down")]
    Down,
}

impl IdeaStatus {
    const ALL: [Self; 5] = [Self::Open, Self::Planned, Self::InProgress, Self::Done, Self::Declined];

    /// Slug.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Planned => "planned",
            Self::InProgress => "in_progress",
            Self::Done => "done",
            Self::Declined => "declined",
        }
    }

    /// Status of a stored slug.
    ///
    /// # Errors
    /// An internal error for any other text.
    pub(crate) fn of(stored: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|status| status.as_str() == stored);
        known.ok_or_else(|| ApiError::internal("an idea has a status that is not known"))
    }

    /// True when the idea takes no new votes.
    pub(crate) const fn is_closed(self) -> bool {
        matches!(self, Self::Done | Self::Declined)
    }
}

impl IdeaVoteType {
    /// Stored text.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }

    /// Vote of a stored text.
    ///
    /// # Errors
    /// An internal error for any other text.
    pub(crate) fn of(stored: &str) -> Result<Self> {
        match stored {
            "up" => Ok(Self::Up),
            "down" => Ok(Self::Down),
            _ => Err(ApiError::internal("a vote is of a kind that is not known")),
        }
    }
}
