//! What makes a bot module's handlers run.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// `GET /v1/internal/bot-modules/{account_id}/triggers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriggerFeed {
    pub installs: Vec<TriggerInstall>,
    /// Always false: a kill is delivered live, and killed installs are not listed.
    pub killed: bool,
}

/// The triggers of one install that is switched on (B §2.6). `moderate`, `events` and `timers` are what the runtime
/// needs beyond B.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriggerInstall {
    pub install_id: Uuid,
    pub extension_id: Uuid,
    pub extension_name: String,
    pub commands: Vec<Command>,
    pub keywords: Vec<Keyword>,
    pub patterns: Vec<Pattern>,
    pub has_moderate: bool,
    pub platforms: Vec<String>,
    /// The export that looks at every message.
    pub moderate: Option<String>,
    pub events: Vec<EventTrigger>,
    pub timers: Vec<Timer>,
    /// Chatters whose messages `moderate` does not look at.
    #[serde(default)]
    pub exempt_roles: Vec<MinRole>,
    /// Which messages `moderate` looks at; null for all.
    #[serde(default)]
    pub filter: Option<MessageFilter>,
}

/// What a message must hold to be looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageFilter {
    /// Whatever their case.
    pub words: Vec<String>,
    /// In the syntax of a linear-time engine.
    pub patterns: Vec<String>,
    /// Whether a word counts only where it is no part of a longer one.
    pub whole_words: bool,
}

/// A chat command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Without prefix, `^[a-z0-9_]{1,32}$`.
    pub name: String,
    #[serde(default)]
    pub alias: Option<String>,
    /// Seconds.
    #[serde(default)]
    pub cooldown_global: u32,
    /// Seconds for each chatter.
    #[serde(default)]
    pub cooldown_user: u32,
    #[serde(default)]
    pub min_role: MinRole,
    #[serde(default = "on")]
    pub enabled: bool,
    pub handler: String,
}

/// A word in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyword {
    pub value: String,
    #[serde(default = "on")]
    pub enabled: bool,
    pub handler: String,
}

/// A pattern in a message, in the syntax of a linear-time engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    pub regex: String,
    #[serde(default = "on")]
    pub enabled: bool,
    pub handler: String,
}

/// A platform event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTrigger {
    pub event_type: String,
    pub handler: String,
}

/// Something that runs again and again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    pub name: String,
    /// 30 to 86,400.
    pub interval_secs: u32,
    /// Chat lines since the last run below which it is skipped.
    #[serde(default)]
    pub min_chat_lines: u32,
    pub handler: String,
    /// Empty: every platform of the module.
    #[serde(default)]
    pub platforms: Vec<String>,
}

/// Who may use a command; each includes the ones after it (C B2, role hierarchy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MinRole {
    #[default]
    Everyone,
    Follower,
    Subscriber,
    Vip,
    Moderator,
    Broadcaster,
}

/// `GET /v1/internal/accounts/active`: accounts with an enabled bot or install, in order of their ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActiveAccounts {
    pub account_ids: Vec<Uuid>,
    /// The `after` of the next page; null on the last.
    pub next: Option<Uuid>,
}

const fn on() -> bool {
    true
}
