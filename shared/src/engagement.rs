//! Raids, polls, predictions and rewards in the form of the platforms (reference/platforms.md#twitch). Only
//! Twitch offers them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Channel that was looked up by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChannel {
    /// Id on the platform.
    pub id: String,
    /// Name that the platform addresses the channel by.
    pub username: String,
    /// Displayed name.
    pub display_name: String,
}

/// Poll to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPoll {
    /// Id of the channel on the platform.
    pub channel_id: String,
    /// Question.
    pub title: String,
    /// Titles of the choices.
    pub choices: Vec<String>,
    /// Time until the poll ends.
    pub duration: Duration,
}

/// Poll as its platform states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformPoll {
    /// Id on the platform.
    pub id: String,
    /// Question.
    pub title: String,
    /// Choices with their votes.
    pub choices: Vec<PollChoice>,
    /// State of the poll.
    pub status: PollStatus,
    /// Start.
    pub started_at: DateTime<Utc>,
    /// Scheduled end.
    pub ends_at: DateTime<Utc>,
    /// Actual end; `None` while it runs.
    pub ended_at: Option<DateTime<Utc>>,
}

/// Choice of a poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PollChoice {
    /// Id on the platform.
    pub id: String,
    /// Displayed text.
    pub title: String,
    /// Number of votes.
    pub votes: i64,
}

/// Way of ending a poll before its scheduled end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollEnd {
    /// Viewers still see it.
    Terminated,
    /// Viewers no longer see it.
    Archived,
}

/// Prediction to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPrediction {
    /// Id of the channel on the platform.
    pub channel_id: String,
    /// Question.
    pub title: String,
    /// Titles of the outcomes.
    pub outcomes: Vec<String>,
    /// Time in which viewers may predict.
    pub window: Duration,
}

/// Prediction as its platform states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformPrediction {
    /// Id on the platform.
    pub id: String,
    /// Question.
    pub title: String,
    /// Outcomes with their points.
    pub outcomes: Vec<PredictionOutcome>,
    /// State of the prediction.
    pub status: PredictionStatus,
    /// Id of the outcome that won; `None` unless it is resolved.
    pub winning_outcome_id: Option<String>,
    /// Start.
    pub started_at: DateTime<Utc>,
    /// Scheduled lock, or the time at which it was locked.
    pub locks_at: DateTime<Utc>,
    /// Time of the resolution or cancellation; `None` before.
    pub ended_at: Option<DateTime<Utc>>,
}

/// Outcome of a prediction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictionOutcome {
    /// Id on the platform.
    pub id: String,
    /// Displayed text.
    pub title: String,
    /// Number of viewers who predicted it.
    pub users: i64,
    /// Channel points that they set on it.
    pub channel_points: i64,
}

/// Transition of a prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PredictionChange {
    /// Viewers can no longer predict.
    Locked,
    /// This outcome won.
    Resolved { winning_outcome_id: String },
    /// All points are returned.
    Cancelled,
}

/// Reward of channel points to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReward {
    /// Id of the channel on the platform.
    pub channel_id: String,
    /// Displayed text.
    pub title: String,
    /// Price in channel points.
    pub cost: i32,
    /// True when viewers can redeem it.
    pub is_enabled: bool,
}

/// Change of a reward. Absent fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RewardChange {
    /// Displayed text.
    pub title: Option<String>,
    /// Price in channel points.
    pub cost: Option<i32>,
    /// True when viewers can redeem it.
    pub is_enabled: Option<bool>,
}

/// Redemption of a reward by a viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redemption {
    /// Id of the channel on the platform.
    pub channel_id: String,
    /// Id of the reward on the platform.
    pub reward_id: String,
    /// Id of the redemption on the platform.
    pub redemption_id: String,
}

/// End of a redemption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedemptionEnd {
    /// The viewer got the reward.
    Fulfilled,
    /// The viewer gets the points back.
    Refunded,
}

macro_rules! states {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// Text in columns and JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// State with the given text, in either case. It takes our spelling and that of the platform.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                // Twitch uses the American spelling.
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
    /// State of a poll.
    PollStatus {
        /// Viewers can vote.
        Active = "active",
        /// The scheduled end was reached.
        Completed = "completed",
        /// It was ended early, and viewers still see it.
        Terminated = "terminated",
        /// It was ended, and viewers no longer see it.
        Archived = "archived",
        /// The platform removed it.
        Moderated = "moderated",
        /// The platform does not know the result.
        Invalid = "invalid",
    }
}

states! {
    /// State of a prediction.
    PredictionStatus {
        /// Viewers can predict.
        Active = "active",
        /// Viewers can no longer predict.
        Locked = "locked",
        /// An outcome won.
        Resolved = "resolved",
        /// All points were returned.
        Cancelled = "cancelled",
    }
}

impl PollStatus {
    /// True while votes count.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Active)
    }
}

impl PredictionStatus {
    /// True until it is resolved or cancelled.
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
