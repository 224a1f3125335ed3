//! Chat lines and events that the enabled automations of an account wait for.

use std::collections::HashSet;

use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use live_model::CommandLine;
use shared::Result;
use uuid::Uuid;

use super::nodes::trigger_nodes;
use crate::triggers::Trigger;

/// Maximum number of names that an entry of the index holds (reference/automations.md#triggers). With more it
/// passes every line or event on.
const MAX_INDEXED_NAMES: usize = 1_000;
/// Prefix of commands in an account without settings.
const DEFAULT_PREFIX: &str = "!";

#[derive(QueryableByName)]
struct Settings {
    #[diesel(sql_type = Text)]
    command_prefix: String,
}

/// Returns the prefix that makes a line of the account's chats a command.
///
/// # Errors
/// A failure of the database.
pub async fn command_prefix(connection: &mut AsyncPgConnection, account_id: Uuid) -> Result<String> {
    let settings: Option<Settings> =
        sql_query("SELECT command_prefix FROM account_settings WHERE account_id = $1")
            .bind::<SqlUuid, _>(account_id)
            .prepared()
            .get_result(connection)
            .await
            .optional()?;
    Ok(settings.map_or_else(|| DEFAULT_PREFIX.to_owned(), |settings| settings.command_prefix))
}

/// Lines and events that the enabled automations of an account may wait for. It may contain more than they
/// wait for, and never less.
#[derive(Debug, Default, PartialEq)]
pub struct Awaited {
    /// Prefix of commands; empty without triggers in chat.
    prefix: String,
    /// True when every line is passed on, because there are too many names.
    every_line: bool,
    commands: HashSet<String>,
    /// Keywords in lower case.
    keywords: Vec<String>,
    every_event: bool,
    /// Types of events; for those of every platform the name without the platform.
    events: HashSet<String>,
}

/// Reads what the enabled automations of an account wait for.
///
/// # Errors
/// A failure of the database.
pub async fn awaited(connection: &mut AsyncPgConnection, account_id: Uuid) -> Result<Awaited> {
    let nodes = trigger_nodes(connection, account_id).await?;
    let mut awaited = Awaited::of(nodes.into_iter().map(|node| node.trigger));
    if !awaited.commands.is_empty() {
        awaited.prefix = command_prefix(connection, account_id).await?;
    }
    Ok(awaited)
}

impl Awaited {
    fn of(triggers: impl Iterator<Item = Trigger>) -> Self {
        let mut awaited = Self::default();
        for trigger in triggers {
            awaited.add(trigger);
        }
        if awaited.commands.len() + awaited.keywords.len() > MAX_INDEXED_NAMES {
            awaited = Self { every_line: true, commands: HashSet::new(), keywords: Vec::new(), ..awaited };
        }
        if awaited.events.len() > MAX_INDEXED_NAMES {
            awaited = Self { every_event: true, events: HashSet::new(), ..awaited };
        }
        awaited
    }

    fn add(&mut self, trigger: Trigger) {
        match trigger {
            Trigger::Event { event_types, .. } if event_types.is_empty() => self.every_event = true,
            Trigger::Event { event_types, .. } => self.events.extend(event_types),
            Trigger::ChatCommand { command, .. } => self.commands.extend([command]),
            Trigger::ChatKeyword { keyword, .. } => self.keywords.push(keyword.trim().to_lowercase()),
            Trigger::RewardRedeemed { .. } => self.events.extend(["reward".to_owned()]),
            Trigger::StreamOnline { .. } => self.events.extend(["stream_online".to_owned()]),
            Trigger::StreamOffline { .. } => self.events.extend(["stream_offline".to_owned()]),
            // Started elsewhere.
            Trigger::Schedule { .. } | Trigger::Manual | Trigger::BotCommand { .. } | Trigger::Extension => {}
        }
    }

    /// True when an automation may wait for a line.
    #[must_use]
    pub fn contains_line(&self, text: &str) -> bool {
        if self.every_line {
            return true;
        }
        let is_command = || {
            !self.commands.is_empty()
                && CommandLine::parse(text, &self.prefix)
                    .is_some_and(|line| self.commands.contains(&line.name))
        };
        let has_keyword = || {
            !self.keywords.is_empty() && {
                let text = text.to_lowercase();
                self.keywords.iter().any(|keyword| text.contains(keyword))
            }
        };
        is_command() || has_keyword()
    }

    /// True when an automation may wait for an event of this type.
    #[must_use]
    pub fn contains_event(&self, event_type: &str) -> bool {
        let name = || event_type.split_once(':').map_or(event_type, |(_, name)| name);
        self.every_event
            || !self.events.is_empty() && (self.events.contains(event_type) || self.events.contains(name()))
    }

    /// Returns the approximate memory in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        /// Memory of an entry or a name beyond its text, in bytes.
        const OVERHEAD: usize = 64;
        let names = self.commands.iter().chain(&self.keywords).chain(&self.events);
        names.map(|name| OVERHEAD + name.len()).sum::<usize>() + 4 * OVERHEAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{conditions::Filters, triggers::KeywordMatch};

    fn awaited() -> Awaited {
        let all = Vec::new;
        let triggers = [
            Trigger::ChatCommand { command: "hello".into(), platforms: all() },
            Trigger::ChatKeyword { keyword: "pizza".into(), r#match: KeywordMatch::Word, platforms: all() },
            Trigger::Event {
                event_types: vec!["twitch:raid".into()],
                platforms: all(),
                filters: Filters::default(),
            },
            Trigger::StreamOnline { platforms: all() },
        ];
        Awaited { prefix: "?".into(), ..Awaited::of(triggers.into_iter()) }
    }

    #[test]
    fn awaited_contains_lines_of_commands_and_keywords() {
        for text in ["?hello", "  ?HELLO there", "I like Pizza.", "pizzas"] {
            assert!(awaited().contains_line(text), "{text}");
        }
        for text in ["!hello", "hello", "?hell", "?", ""] {
            assert!(!awaited().contains_line(text), "{text}");
        }
        assert!(!Awaited::default().contains_line("!hello"));
    }

    #[test]
    fn awaited_contains_types_of_events() {
        for event_type in ["twitch:raid", "kick:stream_online", "youtube:stream_online"] {
            assert!(awaited().contains_event(event_type), "{event_type}");
        }
        for event_type in ["kick:raid", "twitch:stream_offline", "twitch:reward", "custom:a"] {
            assert!(!awaited().contains_event(event_type), "{event_type}");
        }
        assert!(!Awaited::default().contains_event("twitch:raid"));
    }

    #[test]
    fn awaited_passes_every_line_and_event_beyond_its_bound() {
        let command = |index| Trigger::ChatCommand { command: format!("c{index}"), platforms: Vec::new() };
        let many = Awaited::of((0..=MAX_INDEXED_NAMES).map(command));
        assert!(many.contains_line("anything") && many.size_bytes() < 1_000);
        let event = |index| Trigger::Event {
            event_types: vec![format!("custom:{index}")],
            platforms: Vec::new(),
            filters: Filters::default(),
        };
        let many = Awaited::of((0..=MAX_INDEXED_NAMES).map(event));
        assert!(many.contains_event("twitch:raid") && !many.contains_line("anything"));
    }
}
