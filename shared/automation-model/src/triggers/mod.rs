//! Trigger nodes (reference/automations.md#nodes).

mod entry;
mod matching;
mod parse;

use std::sync::Arc;

use chrono_tz::Tz;
use uuid::Uuid;

use crate::conditions::{Effort, Filters};

pub use entry::entry;
pub use matching::Line;
pub use parse::{MAX_EVENT_TYPES, MAX_KEYWORD_LENGTH, parse};

/// Trigger of a node.
#[derive(Debug, Clone)]
pub enum Trigger {
    /// Event of the account.
    Event {
        /// Types.
        event_types: Vec<String>,
        /// Platforms; empty for all.
        platforms: Vec<String>,
        /// Conditions on the event; all must hold.
        filters: Filters,
    },
    /// Command in chat.
    ChatCommand {
        /// Name in lower case, without prefix.
        command: String,
        /// Platforms; empty for all.
        platforms: Vec<String>,
    },
    /// Word in chat.
    ChatKeyword {
        /// The word in lower case.
        keyword: String,
        /// Place of the word in the line.
        r#match: KeywordMatch,
        /// Platforms; empty for all.
        platforms: Vec<String>,
    },
    /// Redemption of a reward.
    RewardRedeemed {
        /// Reward; `None` for any.
        reward_id: Option<Uuid>,
    },
    /// Times.
    Schedule {
        /// Five fields: minute, hour, day, month, weekday.
        cron: String,
        /// Time zone; `None` for the account's.
        timezone: Option<Tz>,
    },
    /// Begin of a broadcast.
    StreamOnline {
        /// Platforms; empty for all.
        platforms: Vec<String>,
    },
    /// End of a broadcast.
    StreamOffline {
        /// Platforms; empty for all.
        platforms: Vec<String>,
    },
    /// Start by a person or another automation.
    Manual,
    /// Bot command of response type `automation`.
    BotCommand {
        /// Name in lower case, without prefix.
        command: String,
        /// Platforms; empty for all.
        platforms: Vec<String>,
    },
    /// Trigger node of an extension.
    Extension,
}

/// Place of a keyword in a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeywordMatch {
    /// Not as part of a longer word.
    #[default]
    Word,
    /// Anywhere.
    Contains,
}

impl Trigger {
    /// Name of the node type.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Event { .. } => "event",
            Self::ChatCommand { .. } => "chat_command",
            Self::ChatKeyword { .. } => "chat_keyword",
            Self::RewardRedeemed { .. } => "reward_redeemed",
            Self::Schedule { .. } => "schedule",
            Self::StreamOnline { .. } => "stream_online",
            Self::StreamOffline { .. } => "stream_offline",
            Self::Manual => "manual",
            Self::BotCommand { .. } => "bot_command",
            Self::Extension => "extension",
        }
    }

    /// Lets the filters of the trigger take from an effort that those of others take from too.
    pub(crate) fn share(&mut self, effort: &Arc<Effort>) {
        if let Self::Event { filters, .. } = self {
            filters.share(effort);
        }
    }
}

#[cfg(test)]
mod tests;
