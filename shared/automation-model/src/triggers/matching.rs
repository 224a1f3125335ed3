//! Triggers that fire for an event, a chat line or a redemption.

use std::collections::BTreeMap;

use chrono::DateTime;
use chrono_tz::Tz;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{KeywordMatch, Trigger};
use crate::template::Scope;

/// A chat line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    platform: &'a str,
    text: String,
    command: Option<String>,
    /// Text after the name of the command, trimmed; the whole line without a command.
    pub arguments: &'a str,
}

impl<'a> Line<'a> {
    /// Reads a line. `prefix` is that of the account's commands.
    #[must_use]
    pub fn read(text: &'a str, prefix: &str, platform: &'a str) -> Self {
        let line = text.trim();
        let command = line.strip_prefix(prefix).map(|line| {
            let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            (name.to_lowercase(), arguments.trim())
        });
        let (command, arguments) = match command {
            Some((name, arguments)) if !name.is_empty() => (Some(name), arguments),
            _ => (None, line),
        };
        Self { platform, text: line.to_lowercase(), command, arguments }
    }
}

impl Trigger {
    /// True when an event fires the trigger. `event` is the whole event, for filters.
    #[must_use]
    pub fn fires_for_event(&self, event_type: &str, platform: Option<&str>, event: &Value) -> bool {
        match self {
            Self::Event { event_types, platforms, filters } => {
                is_one_of(event_type, event_types)
                    && allows(platforms, platform)
                    && with_event(event, |scope| filters.hold(event, scope))
            }
            Self::StreamOnline { platforms } => {
                is_of(event_type, "stream_online") && allows(platforms, platform)
            }
            Self::StreamOffline { platforms } => {
                is_of(event_type, "stream_offline") && allows(platforms, platform)
            }
            _ => false,
        }
    }

    /// True when [`Self::fires_for_event`] evaluates regular expressions for an event of a type and platform.
    #[must_use]
    pub fn has_patterns_for_event(&self, event_type: &str, platform: Option<&str>) -> bool {
        match self {
            Self::Event { event_types, platforms, filters } => {
                is_one_of(event_type, event_types) && allows(platforms, platform) && filters.have_patterns()
            }
            _ => false,
        }
    }

    /// True when a chat line fires the trigger.
    #[must_use]
    pub fn fires_for_line(&self, line: &Line<'_>) -> bool {
        match self {
            Self::ChatCommand { command, platforms } => {
                line.command.as_ref() == Some(command) && allows(platforms, Some(line.platform))
            }
            Self::ChatKeyword { keyword, r#match, platforms } => {
                allows(platforms, Some(line.platform)) && has_word(&line.text, keyword, *r#match)
            }
            _ => false,
        }
    }

    /// True when the redemption of a reward fires the trigger.
    #[must_use]
    pub fn fires_for_redemption(&self, reward: Uuid) -> bool {
        matches!(self, Self::RewardRedeemed { reward_id } if reward_id.is_none_or(|known| known == reward))
    }

    /// True when a bot command of response type `automation` fires the trigger. `command` has no prefix.
    #[must_use]
    pub fn fires_for_command(&self, name: &str, platform: &str) -> bool {
        matches!(self, Self::BotCommand { command, platforms }
            if command.eq_ignore_ascii_case(name) && allows(platforms, Some(platform)))
    }
}

fn allows(platforms: &[String], platform: Option<&str>) -> bool {
    platforms.is_empty() || platform.is_some_and(|platform| platforms.iter().any(|known| known == platform))
}

fn is_one_of(event_type: &str, event_types: &[String]) -> bool {
    event_types.iter().any(|known| known == event_type)
}

fn is_of(event_type: &str, name: &str) -> bool {
    event_type.split_once(':').is_some_and(|(_, of_platform)| of_platform == name)
}

/// True when the text has the word. Both are in lower case.
fn has_word(text: &str, word: &str, place: KeywordMatch) -> bool {
    match place {
        KeywordMatch::Contains => text.contains(word),
        KeywordMatch::Word => text.match_indices(word).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            !joined(before.chars().next_back(), found.chars().next())
                && !joined(found.chars().next_back(), after.chars().next())
        }),
    }
}

fn joined(left: Option<char>, right: Option<char>) -> bool {
    left.is_some_and(char::is_alphanumeric) && right.is_some_and(char::is_alphanumeric)
}

/// Calls a function with a scope that has only an event.
fn with_event(event: &Value, check: impl FnOnce(&Scope<'_>) -> bool) -> bool {
    let (vars, steps) = (Map::new(), BTreeMap::new());
    check(&Scope {
        trigger: &Value::Null,
        event,
        user: &Value::Null,
        account: &Value::Null,
        stream: &Value::Null,
        vars: &vars,
        steps: &steps,
        now: DateTime::UNIX_EPOCH,
        timezone: Tz::UTC,
    })
}
