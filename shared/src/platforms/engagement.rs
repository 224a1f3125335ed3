//! Raids, polls and predictions as the platforms have them (D §2). Only Twitch offers them so far.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A channel that was looked up by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChannel {
    /// The platform's id.
    pub id: String,
    /// The name that the platform addresses it by.
    pub username: String,
    pub display_name: String,
}

/// A poll to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPoll {
    pub channel_id: String,
    pub title: String,
    pub choices: Vec<String>,
    pub duration: Duration,
}

/// A poll as its platform states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformPoll {
    /// The platform's id.
    pub id: String,
    pub title: String,
    pub choices: Vec<PollChoice>,
    pub status: PollStatus,
    pub started_at: DateTime<Utc>,
    /// When it ends by itself.
    pub ends_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// What may be voted for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PollChoice {
    /// The platform's id.
    pub id: String,
    pub title: String,
    pub votes: i64,
}

/// How a poll is ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollEnd {
    /// Viewers still see it.
    Terminated,
    /// Viewers no longer see it.
    Archived,
}

/// A prediction to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPrediction {
    pub channel_id: String,
    pub title: String,
    pub outcomes: Vec<String>,
    /// How long viewers may predict.
    pub window: Duration,
}

/// A prediction as its platform states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformPrediction {
    /// The platform's id.
    pub id: String,
    pub title: String,
    pub outcomes: Vec<PredictionOutcome>,
    pub status: PredictionStatus,
    pub winning_outcome_id: Option<String>,
    pub started_at: DateTime<Utc>,
    /// When it locks by itself, or locked.
    pub locks_at: DateTime<Utc>,
    /// When it was resolved or cancelled.
    pub ended_at: Option<DateTime<Utc>>,
}

/// What may be predicted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictionOutcome {
    /// The platform's id.
    pub id: String,
    pub title: String,
    /// How many viewers predicted it.
    pub users: i64,
    /// How many points they set on it.
    pub channel_points: i64,
}

/// What becomes of a prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PredictionChange {
    /// Nobody predicts any more.
    Locked,
    /// This outcome came about.
    Resolved { winning_outcome_id: String },
    /// Everybody gets their points back.
    Cancelled,
}

macro_rules! states {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// The text in columns and JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Reads our text, or the platform's in either case.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                // Twitch spells it the American way.
                let text = text.to_ascii_lowercase().replace("canceled", "cancelled");
                match text.as_str() {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

states! {
    /// Where a poll stands.
    PollStatus {
        Active = "active",
        /// Its time was up.
        Completed = "completed",
        Terminated = "terminated",
        Archived = "archived",
        /// The platform took it away.
        Moderated = "moderated",
        /// The platform does not know how it ended.
        Invalid = "invalid",
    }
}

states! {
    /// Where a prediction stands.
    PredictionStatus {
        Active = "active",
        Locked = "locked",
        Resolved = "resolved",
        Cancelled = "cancelled",
    }
}

impl PollStatus {
    /// Whether votes still count.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Active)
    }
}

impl PredictionStatus {
    /// Whether it still has to be resolved or cancelled.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Active | Self::Locked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_in_every_spelling() {
        assert_eq!(PollStatus::parse("TERMINATED"), Some(PollStatus::Terminated));
        assert_eq!(PredictionStatus::parse("CANCELED"), Some(PredictionStatus::Cancelled));
        assert_eq!(PredictionStatus::parse("cancelled"), Some(PredictionStatus::Cancelled));
        assert_eq!((PollStatus::parse("canceled"), PollStatus::parse("")), (None, None));
    }
}
