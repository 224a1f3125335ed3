//! Triggers: finds the handlers of a chat message or an event (reference/extensions.md#bot-module).

mod call;
mod filter;
mod input;
mod keywords;
mod matched;
mod message;
mod patterns;

use std::{collections::HashMap, sync::Arc};

use extension_model::feeds::{Command, MinRole, TriggerFeed, TriggerInstall};
use live_model::AccountEvent;
use serde_json::{Value, json};
use uuid::Uuid;

pub use call::{Call, ChatCalls, Cooldown, TriggerKind};
use filter::Filter;
pub use input::Input;
use keywords::Keywords;
pub use live_model::CommandLine;
use matched::Matched;
pub use message::{Line, Source, TIMER, TimerRun, Unreadable};
use patterns::Patterns;

/// Maximum number of a command's words that are passed one by one; the rest is in `argsText`.
const MAX_ARGUMENTS: usize = 100;

/// Memory of a trigger besides its texts, its handler's name included, in bytes.
const TRIGGER_BYTES: usize = 512;

/// Compiled triggers of an account.
#[derive(Debug, Default)]
pub struct Triggers {
    installs: Vec<Install>,
    moderate: Vec<Moderator>,
    /// Commands by name and by alias.
    commands: HashMap<String, Vec<CommandTrigger>>,
    keywords: Keywords,
    keyword_triggers: Vec<TextTrigger>,
    patterns: Patterns,
    pattern_triggers: Vec<TextTrigger>,
    events: HashMap<String, Vec<(usize, Arc<str>)>>,
    timers: Vec<Timer>,
}

/// Timer of an install.
#[derive(Debug)]
pub struct Timer {
    /// Install of the timer.
    pub install_id: Uuid,
    /// Name of the timer.
    pub name: String,
    /// Interval of the slots, in seconds.
    pub interval_secs: u32,
    /// Minimum number of chat lines since the last run; with fewer it is skipped.
    pub min_chat_lines: u32,
    /// Platforms that it runs on; empty for all.
    pub platforms: Vec<String>,
    handler: Arc<str>,
}

#[derive(Debug)]
struct Install {
    id: Uuid,
    /// Empty for all.
    platforms: Vec<String>,
}

/// Export that moderates messages.
#[derive(Debug)]
struct Moderator {
    install: usize,
    handler: Arc<str>,
    exempt: Vec<MinRole>,
    /// `None` for all messages.
    filter: Option<Filter>,
}

#[derive(Debug)]
struct CommandTrigger {
    install: usize,
    name: String,
    is_alias: bool,
    cooldown: Option<Cooldown>,
    min_role: MinRole,
    handler: Arc<str>,
}

#[derive(Debug)]
struct TextTrigger {
    install: usize,
    /// Keyword or expression.
    value: String,
    handler: Arc<str>,
}

impl Triggers {
    /// Compiles a feed, whose installs are in the order of their installation.
    pub fn compile(feed: &TriggerFeed) -> Self {
        let mut triggers = Self::default();
        for (index, install) in feed.installs.iter().enumerate() {
            triggers.add(index, install);
        }
        triggers.keywords =
            Keywords::new(triggers.keyword_triggers.iter().map(|trigger| trigger.value.as_str()));
        triggers.patterns =
            Patterns::new(triggers.pattern_triggers.iter().map(|trigger| trigger.value.as_str()));
        triggers
    }

    /// Returns the calls of a chat message; `command` is the message parsed as one. Lines of the account's
    /// own bot never become jobs.
    pub fn of_chat(&self, line: &Line, command: Option<&CommandLine<'_>>) -> ChatCalls {
        let matched = Matched::find(self, line, command);
        if matched.is_empty() {
            return ChatCalls::default();
        }
        // Built once, and only for a message that triggers something.
        let input = Arc::new(line.input());
        ChatCalls {
            moderate: matched
                .moderate
                .iter()
                .map(|moderator| self.moderate_call(moderator, &input))
                .collect(),
            commands: command.map_or_else(Vec::new, |line| {
                let commands = matched.commands.iter();
                commands.map(|trigger| self.command_call(trigger, line, &input)).collect()
            }),
            others: self
                .keyword_calls(&matched, &input)
                .chain(self.pattern_calls(&matched, &input))
                .collect(),
        }
    }

    /// Returns the calls of an event, in the order of the installs.
    pub fn of_event(&self, event: &AccountEvent) -> Vec<Call> {
        let Some(triggers) = self.events.get(&event.event_type) else { return Vec::new() };
        let shared = Arc::new(json!(event));
        triggers
            .iter()
            .filter(|(install, _)| self.is_open(*install, event.platform.as_deref()))
            .map(|(install, handler)| Call {
                install_id: self.installs[*install].id,
                handler: handler.clone(),
                kind: TriggerKind::Event,
                trigger: event.event_type.clone(),
                input: Input::new(json!({ "trigger": "event" })).with("event", &shared),
                cooldown: None,
            })
            .collect()
    }

    /// Returns the timers of the account.
    pub fn timers(&self) -> &[Timer] {
        &self.timers
    }

    /// True when a timer waits for lines of chat.
    pub fn counts_lines(&self) -> bool {
        self.timers.iter().any(|timer| timer.min_chat_lines > 0)
    }

    /// Returns the call of a due timer; `None` when it is gone meanwhile.
    pub fn of_timer(&self, due: &TimerRun) -> Option<Call> {
        let is_due = |timer: &&Timer| timer.install_id == due.install_id && timer.name == due.name;
        let timer = self.timers.iter().find(is_due)?;
        Some(Call {
            install_id: timer.install_id,
            handler: timer.handler.clone(),
            kind: TriggerKind::Timer,
            trigger: timer.name.clone(),
            input: Input::new(json!({
                "trigger": "timer",
                "name": due.name,
                "platform": due.platform,
                "run": due.run,
            })),
            cooldown: None,
        })
    }

    /// Returns the approximate memory in bytes, for bounded caches.
    pub fn size_bytes(&self) -> usize {
        let texts = self.keyword_triggers.iter().chain(&self.pattern_triggers);
        let texts: usize = texts.map(|text| TRIGGER_BYTES + text.value.len() + text.handler.len()).sum();
        let commands = self.commands.values().flatten();
        let commands: usize = commands.map(|command| TRIGGER_BYTES + 3 * command.name.len()).sum();
        let events = self.events.values().flatten().count();
        let others = events + self.moderate.len() + self.timers.len() + self.installs.len() + 1;
        let filters = self.moderate.iter().filter_map(|moderator| moderator.filter.as_ref());
        let filters: usize = filters.map(Filter::size_bytes).sum();
        let others = TRIGGER_BYTES * others + filters;
        texts + commands + others + self.keywords.size_bytes() + self.patterns.size_bytes()
    }

    fn add(&mut self, index: usize, install: &TriggerInstall) {
        self.installs.push(Install { id: install.install_id, platforms: install.platforms.clone() });
        if let Some(handler) = &install.moderate {
            self.moderate.push(Moderator {
                install: index,
                handler: handler.as_str().into(),
                exempt: install.exempt_roles.clone(),
                filter: install.filter.as_ref().map(Filter::new),
            });
        }
        self.timers.extend(install.timers.iter().map(|timer| Timer {
            install_id: install.install_id,
            name: timer.name.clone(),
            interval_secs: timer.interval_secs.max(1),
            min_chat_lines: timer.min_chat_lines,
            platforms: if timer.platforms.is_empty() { &install.platforms } else { &timer.platforms }.clone(),
            handler: timer.handler.as_str().into(),
        }));
        for command in install.commands.iter().filter(|command| command.enabled) {
            self.add_command(index, command);
        }
        let text = |value: &String, handler: &String| TextTrigger {
            install: index,
            value: value.clone(),
            handler: handler.as_str().into(),
        };
        let keywords = install.keywords.iter().filter(|keyword| keyword.enabled);
        self.keyword_triggers.extend(keywords.map(|keyword| text(&keyword.value, &keyword.handler)));
        let patterns = install.patterns.iter().filter(|pattern| pattern.enabled);
        self.pattern_triggers.extend(patterns.map(|pattern| text(&pattern.regex, &pattern.handler)));
        for event in &install.events {
            self.events
                .entry(event.event_type.clone())
                .or_default()
                .push((index, event.handler.as_str().into()));
        }
    }

    fn add_command(&mut self, install: usize, command: &Command) {
        let (global_secs, user_secs) = (command.cooldown_global, command.cooldown_user);
        let names = [(Some(&command.name), false), (command.alias.as_ref(), true)];
        for (name, is_alias) in names.into_iter().filter_map(|(name, is_alias)| Some((name?, is_alias))) {
            let trigger = CommandTrigger {
                install,
                name: command.name.clone(),
                is_alias,
                cooldown: (global_secs > 0 || user_secs > 0).then(|| Cooldown {
                    command: format!("{}:{}", self.installs[install].id, command.name),
                    global_secs,
                    user_secs,
                }),
                min_role: command.min_role,
                handler: command.handler.as_str().into(),
            };
            self.commands.entry(name.to_lowercase()).or_default().push(trigger);
        }
    }

    fn is_open(&self, install: usize, platform: Option<&str>) -> bool {
        let platforms = &self.installs[install].platforms;
        platforms.is_empty()
            || platform.is_none_or(|platform| platforms.iter().any(|allowed| allowed == platform))
    }

    fn moderate_call(&self, moderator: &Moderator, message: &Arc<Value>) -> Call {
        Call {
            install_id: self.installs[moderator.install].id,
            handler: moderator.handler.clone(),
            kind: TriggerKind::Moderate,
            trigger: String::new(),
            input: Input::new(json!({ "trigger": "moderate" })).with("message", message),
            cooldown: None,
        }
    }

    fn command_call(&self, trigger: &CommandTrigger, line: &CommandLine<'_>, message: &Arc<Value>) -> Call {
        Call {
            install_id: self.installs[trigger.install].id,
            handler: trigger.handler.clone(),
            kind: TriggerKind::Command,
            trigger: trigger.name.clone(),
            input: Input::new(json!({
                "trigger": "command",
                "command": trigger.name,
                "alias": trigger.is_alias.then_some(&line.name),
                "args": line.arguments.split_whitespace().take(MAX_ARGUMENTS).collect::<Vec<_>>(),
                "argsText": line.arguments,
            }))
            .with("message", message),
            cooldown: trigger.cooldown.clone(),
        }
    }

    fn keyword_calls<'a>(
        &'a self,
        matched: &'a Matched<'_>,
        message: &'a Arc<Value>,
    ) -> impl Iterator<Item = Call> + 'a {
        matched.keywords.iter().map(move |trigger| Call {
            install_id: self.installs[trigger.install].id,
            handler: trigger.handler.clone(),
            kind: TriggerKind::Keyword,
            trigger: trigger.value.clone(),
            input: Input::new(json!({ "trigger": "keyword", "value": trigger.value, "groups": [] }))
                .with("message", message),
            cooldown: None,
        })
    }

    fn pattern_calls<'a>(
        &'a self,
        matched: &'a Matched<'_>,
        message: &'a Arc<Value>,
    ) -> impl Iterator<Item = Call> + 'a {
        matched.patterns.iter().map(move |(trigger, groups)| Call {
            install_id: self.installs[trigger.install].id,
            handler: trigger.handler.clone(),
            kind: TriggerKind::Pattern,
            trigger: trigger.value.clone(),
            input: Input::new(json!({ "trigger": "pattern", "regex": trigger.value, "groups": groups }))
                .with("message", message),
            cooldown: None,
        })
    }
}

#[cfg(test)]
mod tests;
