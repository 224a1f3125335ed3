//! Calls: the handlers that a trigger runs (reference/handlers.md#inputs-and-results).

use std::sync::Arc;

use uuid::Uuid;

use super::Input;

/// Kind of a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriggerKind {
    /// Moderation of a message.
    Moderate,
    /// Command of an extension.
    Command,
    /// Keyword in a message.
    Keyword,
    /// Pattern in a message.
    Pattern,
    /// Event of the account.
    Event,
    /// Due timer.
    Timer,
}

impl TriggerKind {
    /// Returns the name in inputs, logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Moderate => "moderate",
            Self::Command => "command",
            Self::Keyword => "keyword",
            Self::Pattern => "pattern",
            Self::Event => "event",
            Self::Timer => "timer",
        }
    }
}

/// Handler to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Install of the handler.
    pub install_id: Uuid,
    /// Name of the export.
    pub handler: Arc<str>,
    /// Kind of the trigger.
    pub kind: TriggerKind,
    /// Name of the trigger within the install, so that two triggers with one handler are two calls.
    pub trigger: String,
    /// Second argument of the handler.
    pub input: Input,
    /// Cooldown of a command; null for other triggers.
    pub cooldown: Option<Cooldown>,
}

/// Cooldowns of a command in seconds; 0 for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cooldown {
    /// Name of the command in its account: of an extension `{install}:{name}`.
    pub command: String,
    /// Cooldown for everybody.
    pub global_secs: u32,
    /// Cooldown for one chatter.
    pub user_secs: u32,
}

/// Calls of a chat message, each list in the order of the installs.
#[derive(Debug, Default, PartialEq)]
pub struct ChatCalls {
    /// Moderation: runs first, one after the other.
    pub moderate: Vec<Call>,
    /// Commands: run next, one after the other.
    pub commands: Vec<Call>,
    /// Keywords and patterns: run concurrently.
    pub others: Vec<Call>,
}
