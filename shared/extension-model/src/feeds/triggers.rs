//! Triggers of a bot module's handlers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// `GET /v1/internal/bot-modules/{account_id}/triggers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriggerFeed {
    /// Installs that are switched on.
    pub installs: Vec<TriggerInstall>,
    /// Always false: a kill is announced, and killed installs are not listed.
    pub killed: bool,
}

/// Triggers of one install that is switched on (reference/telemetry.md#internal-feeds).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriggerInstall {
    /// Install.
    pub install_id: Uuid,
    /// Extension.
    pub extension_id: Uuid,
    /// Name of the extension.
    pub extension_name: String,
    /// Chat commands.
    pub commands: Vec<Command>,
    /// Words in messages.
    pub keywords: Vec<Keyword>,
    /// Regular expressions on messages.
    pub patterns: Vec<Pattern>,
    /// True when the module moderates messages.
    pub has_moderate: bool,
    /// Platforms that the module runs on.
    pub platforms: Vec<String>,
    /// Export that gets messages for moderation, or null.
    pub moderate: Option<String>,
    /// Events.
    pub events: Vec<EventTrigger>,
    /// Timers.
    pub timers: Vec<Timer>,
    /// Roles whose messages `moderate` does not get.
    #[serde(default)]
    pub exempt_roles: Vec<MinRole>,
    /// Messages that `moderate` gets; null means all.
    #[serde(default)]
    pub filter: Option<MessageFilter>,
}

/// Condition on messages: one of the words or patterns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageFilter {
    /// Words, case-insensitive.
    pub words: Vec<String>,
    /// Regular expressions in the syntax of a linear-time engine.
    pub patterns: Vec<String>,
    /// True when a word must not be part of a longer one.
    pub whole_words: bool,
}

/// A chat command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Name without prefix, `^[a-z0-9_]{1,32}$`.
    pub name: String,
    /// Further name, or null.
    #[serde(default)]
    pub alias: Option<String>,
    /// Seconds.
    #[serde(default)]
    pub cooldown_global: u32,
    /// Seconds for each chatter.
    #[serde(default)]
    pub cooldown_user: u32,
    /// Least role that may use it.
    #[serde(default)]
    pub min_role: MinRole,
    /// False when switched off.
    #[serde(default = "on")]
    pub enabled: bool,
    /// Export that it calls.
    pub handler: String,
}

/// A word in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyword {
    /// 1 to 100 characters.
    pub value: String,
    /// False when switched off.
    #[serde(default = "on")]
    pub enabled: bool,
    /// Export that it calls.
    pub handler: String,
}

/// A pattern in a message, in the syntax of a linear-time engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// Regular expression, 1 to 512 characters.
    pub regex: String,
    /// False when switched off.
    #[serde(default = "on")]
    pub enabled: bool,
    /// Export that it calls.
    pub handler: String,
}

/// A platform event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTrigger {
    /// Type of the event catalogue, or `custom:` and a name.
    pub event_type: String,
    /// Export that it calls.
    pub handler: String,
}

/// A periodic trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// Unique name, 1 to 64 characters.
    pub name: String,
    /// 30 to 86,400.
    pub interval_secs: u32,
    /// Chat lines since the last run that a run requires.
    #[serde(default)]
    pub min_chat_lines: u32,
    /// Export that it calls.
    pub handler: String,
    /// Platforms; empty means every platform of the module.
    #[serde(default)]
    pub platforms: Vec<String>,
}

/// Least role that may use a command; the roles after it may use it too (docs/reference/extensions.md#roles).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MinRole {
    /// Every chatter.
    #[default]
    Everyone,
    /// Followers.
    Follower,
    /// Subscribers.
    Subscriber,
    /// VIPs.
    Vip,
    /// Moderators.
    Moderator,
    /// The broadcaster.
    Broadcaster,
}

/// `GET /v1/internal/accounts/active`: accounts with an enabled bot or install, by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActiveAccounts {
    /// Accounts of this page.
    pub account_ids: Vec<Uuid>,
    /// `after` of the next page; null on the last.
    pub next: Option<Uuid>,
}

const fn on() -> bool {
    true
}
