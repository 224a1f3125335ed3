//! Which handlers a chat message or an event triggers (specification C B2, `bot_module`; B3.4).

mod input;
mod keywords;
mod message;
mod patterns;
mod role;

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value, json};
use shared::{
    feeds::{Command, MinRole, TriggerFeed, TriggerInstall},
    ingest::AccountEvent,
};
use uuid::Uuid;

pub use input::Input;
use keywords::Keywords;
pub use message::{Line, Source, Unreadable};
use patterns::Patterns;

const PREFIX: char = '!';
/// Longest name of a command, in bytes (specification C B2).
const LONGEST_COMMAND: usize = 32;
/// Words of a command that are handed over one by one; the rest is in `argsText`.
const MOST_ARGUMENTS: usize = 100;

/// What a trigger takes beside its texts, its handler's name included.
const TRIGGER_BYTES: usize = 512;

/// What made a handler run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriggerKind {
    Moderate,
    Command,
    Keyword,
    Pattern,
    Event,
}

impl TriggerKind {
    /// The name in inputs, logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Moderate => "moderate",
            Self::Command => "command",
            Self::Keyword => "keyword",
            Self::Pattern => "pattern",
            Self::Event => "event",
        }
    }
}

/// A handler to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub install_id: Uuid,
    pub handler: Arc<str>,
    pub kind: TriggerKind,
    /// Which trigger of the install it was, so that two triggers with one handler are two calls.
    pub trigger: String,
    /// Second argument of the handler (specification C B3.4).
    pub input: Input,
    pub cooldown: Option<Cooldown>,
}

/// How long a command rests after a use, in seconds; 0 is not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cooldown {
    pub command: String,
    pub global_secs: u32,
    pub user_secs: u32,
}

/// What a chat message triggers, each list in the order of the installs.
#[derive(Debug, Default, PartialEq)]
pub struct ChatCalls {
    /// Run first, one after the other.
    pub moderate: Vec<Call>,
    /// Run next, one after the other.
    pub commands: Vec<Call>,
    /// Keywords and patterns: run beside each other.
    pub others: Vec<Call>,
}

/// The triggers of an account, compiled.
#[derive(Debug, Default)]
pub struct Triggers {
    installs: Vec<Install>,
    moderate: Vec<(usize, Arc<str>)>,
    /// By name and by alias.
    commands: HashMap<String, Vec<CommandTrigger>>,
    keywords: Keywords,
    keyword_triggers: Vec<TextTrigger>,
    patterns: Patterns,
    pattern_triggers: Vec<TextTrigger>,
    events: HashMap<String, Vec<(usize, Arc<str>)>>,
}

#[derive(Debug)]
struct Install {
    id: Uuid,
    /// Empty for all.
    platforms: Vec<String>,
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
    /// The keyword or the expression.
    value: String,
    handler: Arc<str>,
}

impl Triggers {
    /// Compiles a feed, whose installs stand in the order they were installed in.
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

    /// What a chat message triggers. What the account's own bot wrote is told apart before a job is made of it.
    pub fn of_chat(&self, line: &Line) -> ChatCalls {
        let matched = Matched::find(self, line);
        if matched.is_empty() {
            return ChatCalls::default();
        }
        // Made once, and only for a message that triggers something.
        let input = Arc::new(line.input());
        ChatCalls {
            moderate: matched
                .moderate
                .iter()
                .map(|(install, handler)| self.moderate_call(*install, handler, &input))
                .collect(),
            commands: matched
                .commands
                .iter()
                .map(|trigger| self.command_call(trigger, &matched.command_line, &input))
                .collect(),
            others: self
                .keyword_calls(&matched, &input)
                .chain(self.pattern_calls(&matched, &input))
                .collect(),
        }
    }

    /// What an event triggers, in the order of the installs.
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

    /// The memory this takes, roughly, for whoever keeps a bounded cache of them.
    pub fn size_bytes(&self) -> usize {
        let texts = self.keyword_triggers.iter().chain(&self.pattern_triggers);
        let texts: usize = texts.map(|text| TRIGGER_BYTES + text.value.len() + text.handler.len()).sum();
        let commands = self.commands.values().flatten();
        let commands: usize = commands.map(|command| TRIGGER_BYTES + 3 * command.name.len()).sum();
        let events = self.events.values().flatten().chain(&self.moderate);
        let others = TRIGGER_BYTES * (events.count() + self.installs.len() + 1);
        texts + commands + others + self.keywords.size_bytes() + self.patterns.size_bytes()
    }

    fn add(&mut self, index: usize, install: &TriggerInstall) {
        self.installs.push(Install { id: install.install_id, platforms: install.platforms.clone() });
        if let Some(handler) = &install.moderate {
            self.moderate.push((index, handler.as_str().into()));
        }
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
                    command: command.name.clone(),
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

    fn moderate_call(&self, install: usize, handler: &Arc<str>, message: &Arc<Value>) -> Call {
        Call {
            install_id: self.installs[install].id,
            handler: handler.clone(),
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
                "args": line.arguments.split_whitespace().take(MOST_ARGUMENTS).collect::<Vec<_>>(),
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

/// The triggers that a message meets.
struct Matched<'a> {
    command_line: CommandLine<'a>,
    moderate: Vec<&'a (usize, Arc<str>)>,
    commands: Vec<&'a CommandTrigger>,
    keywords: Vec<&'a TextTrigger>,
    patterns: Vec<(&'a TextTrigger, Vec<Option<String>>)>,
}

impl<'a> Matched<'a> {
    fn find(triggers: &'a Triggers, line: &'a Line) -> Self {
        let message = &line.message;
        let open = |install: usize| triggers.is_open(install, Some(&message.platform));
        let command_line = CommandLine::parse(&message.text).unwrap_or_default();
        let role = line.roles().highest();
        let commands = triggers.commands.get(&command_line.name).map(Vec::as_slice).unwrap_or_default();
        let keywords = triggers.keywords.find(&message.text.to_lowercase());
        let patterns = triggers.patterns.find(&message.text);
        Self {
            command_line,
            moderate: triggers.moderate.iter().filter(|(install, _)| open(*install)).collect(),
            commands: commands
                .iter()
                .filter(|trigger| open(trigger.install) && role >= trigger.min_role)
                .collect(),
            keywords: keywords
                .into_iter()
                .map(|index| &triggers.keyword_triggers[index])
                .filter(|trigger| open(trigger.install))
                .collect(),
            patterns: patterns
                .into_iter()
                .map(|(index, groups)| (&triggers.pattern_triggers[index], groups))
                .filter(|(trigger, _)| open(trigger.install))
                .collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.moderate.is_empty()
            && self.commands.is_empty()
            && self.keywords.is_empty()
            && self.patterns.is_empty()
    }
}

/// A message that is a command: `!name arguments`.
#[derive(Debug, Default, PartialEq, Eq)]
struct CommandLine<'a> {
    /// Lower case, without the prefix.
    name: String,
    arguments: &'a str,
}

impl<'a> CommandLine<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let line = text.trim_start().strip_prefix(PREFIX)?;
        let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let is_name = !name.is_empty()
            && name.len() <= LONGEST_COMMAND
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then(|| Self { name: name.to_ascii_lowercase(), arguments: arguments.trim() })
    }
}

#[cfg(test)]
mod tests;
