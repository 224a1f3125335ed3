//! Patterns of extensions and of the word filter, keywords and commands: an accepted one is matched in bounded time.

use std::fs;

use chrono::DateTime;
use extension_model::{
    feeds::{TriggerFeed, TriggerInstall},
    system::{self, SystemModule},
};
use extension_runtime::triggers::{CommandLine, Line, Triggers};
use live_model::{ChatMessage, Fragment};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::manifest::{self, EXTENSION_ID, VERSION};

/// Longest line that a platform delivers, in characters (reference/platforms.md#chat-message-limits).
const MAX_LINE_LENGTH: usize = 500;
/// Most processor time for one line against one pattern. A pattern whose time grows faster than its size times the
/// line's length takes minutes; an unoptimised build on a loaded machine takes milliseconds for the others.
const MAX_CPU_SECONDS: f64 = 2.0;

/// The first line of the input is the pattern, the rest a line of chat.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (pattern, line) = text.split_once('\n').unwrap_or((text, text));
    let line: String = line.chars().take(MAX_LINE_LENGTH).collect();
    let in_manifest = manifest::checked(manifest_with(pattern).to_string().as_bytes());
    let filter = word_filter(pattern);
    if let Ok(checked) = &in_manifest {
        let module = checked.manifest.bot_module.as_ref().expect("the manifest has one");
        let install = install(EXTENSION_ID, json!(module.patterns));
        let calls = in_time(pattern, || calls_for(vec![install], &line).others.len());
        let is_match = regex_of(pattern).is_some_and(|regex| regex.is_match(&line));
        assert_eq!(calls, usize::from(is_match), "{pattern:?} in {line:?}");
    }
    if let Some(install) = filter {
        let calls = in_time(pattern, || calls_for(vec![install], &line).moderate.len());
        let is_match = regex_of(&format!("(?i:{pattern})")).is_some_and(|regex| regex.is_match(&line));
        assert_eq!(calls, usize::from(is_match), "{pattern:?} in {line:?}");
    }
    if let Some(command) = CommandLine::parse(&line, "!") {
        assert!((1..=32).contains(&command.name.len()), "{command:?}");
        assert!(command.name.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase() || b == b'_'));
        assert!(line.contains(command.arguments) && command.arguments.trim() == command.arguments);
    }
}

fn manifest_with(pattern: &str) -> Value {
    json!({
        "extensionId": EXTENSION_ID, "version": VERSION, "name": "Pattern", "description": "Has a pattern.",
        "category": "bot_module", "server": true, "permissions": ["chat:read"], "config_schema": {},
        "bot_module": {
            "platforms": ["twitch"], "commands": [], "keywords": [], "events": [], "timers": [], "moderate": null,
            "patterns": [{ "regex": pattern, "handler": "found" }],
        },
    })
}

/// The word filter with the pattern, if its settings accept it.
fn word_filter(pattern: &str) -> Option<TriggerInstall> {
    let module = SystemModule::named("word_filter").expect("it is built in");
    let mut config = Map::new();
    config.insert("words".into(), json!([]));
    config.insert("patterns".into(), json!([pattern]));
    system::check(module.extension_id, &config).ok()?;
    let mut install = install(module.extension_id, json!([]));
    install.has_moderate = true;
    install.moderate = Some("moderate".into());
    system::add_triggers(&mut install, &config);
    Some(install)
}

fn install(extension_id: Uuid, patterns: Value) -> TriggerInstall {
    serde_json::from_value(json!({
        "install_id": Uuid::from_u128(1), "extension_id": extension_id, "extension_name": "Pattern",
        "commands": [], "keywords": [], "patterns": patterns, "has_moderate": false, "platforms": [],
        "moderate": null, "events": [], "timers": [],
    }))
    .expect("an install")
}

fn calls_for(installs: Vec<TriggerInstall>, text: &str) -> extension_runtime::triggers::ChatCalls {
    let triggers = Triggers::compile(&TriggerFeed { installs, killed: false });
    let message = ChatMessage {
        id: Uuid::from_u128(2),
        account_id: Uuid::from_u128(3),
        platform: "twitch".into(),
        platform_message_id: "m".into(),
        platform_user_id: "u".into(),
        username: "viewer".into(),
        display_name: "Viewer".into(),
        color: None,
        badges: Vec::new(),
        text: text.to_owned(),
        fragments: vec![Fragment::text(text)],
        emotes: Vec::new(),
        reply_to: None,
        is_deleted: false,
        is_action: false,
        sent_at: DateTime::UNIX_EPOCH,
        forgets_user: false,
        counted_as: None,
    };
    triggers.of_chat(&Line { message, channel_id: None, is_test: false }, None)
}

fn regex_of(pattern: &str) -> Option<regex::Regex> {
    regex::Regex::new(pattern).ok()
}

/// Runs it and compares its processor time with the bound.
fn in_time<T>(pattern: &str, run: impl FnOnce() -> T) -> T {
    let before = cpu_seconds();
    let result = run();
    if let (Some(before), Some(after)) = (before, cpu_seconds()) {
        let took = after - before;
        assert!(took < MAX_CPU_SECONDS, "{pattern:?} took {took:.1} s of processor time");
    }
    result
}

/// Processor time of this thread, where the kernel reports it.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(stat.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}
