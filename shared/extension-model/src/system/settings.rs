//! Rules for settings of built-in modules that a manifest cannot express
//! (reference/bots.md#built-in-modules).

use std::collections::BTreeSet;

use regex::RegexBuilder;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    ConfigError,
    feeds::{MessageFilter, Timer},
};

const MAX_WORD_LENGTH: usize = 100;
/// Equal to the limit for patterns of a manifest (reference/extensions.md#bot-module).
const MAX_PATTERN_LENGTH: usize = 512;
const MAX_PATTERN_BYTES: usize = 1024 * 1024;
const MAX_DOMAIN_LENGTH: usize = 253;
/// Longest message of any chat platform. Messages to a platform with a lower limit are cut.
const MAX_MESSAGE_LENGTH: usize = 500;
const MAX_MESSAGES: usize = 50;
const MAX_CHAT_LINES: u32 = 10_000;
const INTERVAL_SECS: std::ops::RangeInclusive<u32> = 60..=86_400;
const CHAT_PLATFORMS: [&str; 5] = ["twitch", "youtube", "kick", "trovo", "discord"];
/// Name of the one timer of messages that rotate.
const ROTATION: &str = "rotation";

/// A message that is sent repeatedly.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct TimedMessage {
    text: String,
    interval_secs: u32,
    #[serde(default)]
    min_chat_lines: u32,
    #[serde(default)]
    platforms: Vec<String>,
}

/// Checks that `allowed_domains` are host names.
pub(super) fn links(config: &Map<String, Value>) -> Result<(), ConfigError> {
    for domain in strings(config, "allowed_domains") {
        let label = |label: &str| {
            !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && !label.ends_with('-')
        };
        let is_host = domain.len() <= MAX_DOMAIN_LENGTH
            && domain.contains('.')
            && domain.split('.').all(label)
            && domain.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '.'));
        if !is_host {
            let message = format!("must hold host names such as example.com, not {domain:?}");
            return Err(refuse("allowed_domains", message));
        }
    }
    Ok(())
}

/// Checks the lengths of `words`, and that `patterns` compile in a linear-time engine.
pub(super) fn words(config: &Map<String, Value>) -> Result<(), ConfigError> {
    for word in strings(config, "words") {
        if !(1..=MAX_WORD_LENGTH).contains(&word.trim().chars().count()) {
            return Err(refuse("words", format!("must hold words of 1 to {MAX_WORD_LENGTH} characters")));
        }
    }
    for pattern in strings(config, "patterns") {
        if !(1..=MAX_PATTERN_LENGTH).contains(&pattern.chars().count()) {
            return Err(refuse(
                "patterns",
                format!("must hold patterns of 1 to {MAX_PATTERN_LENGTH} characters"),
            ));
        }
        if let Err(error) = RegexBuilder::new(&insensitive(pattern)).size_limit(MAX_PATTERN_BYTES).build() {
            let reason = match error {
                regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
                error => error.to_string().lines().last().unwrap_or_default().trim().to_owned(),
            };
            return Err(refuse("patterns", format!("must hold regular expressions; {pattern:?}: {reason}")));
        }
    }
    Ok(())
}

/// Checks that `messages` are complete and within their bounds.
pub(super) fn messages(config: &Map<String, Value>) -> Result<(), ConfigError> {
    let Some(Value::Array(given)) = config.get("messages") else { return Ok(()) };
    if given.len() > MAX_MESSAGES {
        return Err(refuse("messages", format!("must have at most {MAX_MESSAGES} entries")));
    }
    given.iter().enumerate().try_for_each(|(index, message)| self::message(index, message))
}

fn message(index: usize, given: &Value) -> Result<(), ConfigError> {
    let refuse = |field: &str, message: String| Err(refuse(&format!("messages[{index}]{field}"), message));
    let known = ["text", "interval_secs", "min_chat_lines", "platforms"];
    let unknown =
        given.as_object().into_iter().flat_map(Map::keys).find(|key| !known.contains(&key.as_str()));
    if let Some(unknown) = unknown {
        return refuse(&format!(".{unknown}"), format!("is none of {}", known.join(", ")));
    }
    let message = match TimedMessage::deserialize(given) {
        Ok(message) => message,
        Err(error) => return refuse("", format!("is not a message: {error}")),
    };
    let length = message.text.trim().chars().count();
    if !(1..=MAX_MESSAGE_LENGTH).contains(&length) || message.text.chars().any(char::is_control) {
        return refuse(
            ".text",
            format!("must have 1 to {MAX_MESSAGE_LENGTH} characters, none of them a control character"),
        );
    }
    if !INTERVAL_SECS.contains(&message.interval_secs) {
        let (least, max) = INTERVAL_SECS.into_inner();
        return refuse(".interval_secs", format!("must be between {least} and {max}"));
    }
    if message.min_chat_lines > MAX_CHAT_LINES {
        return refuse(".min_chat_lines", format!("must be between 0 and {MAX_CHAT_LINES}"));
    }
    if message.platforms.iter().any(|platform| !CHAT_PLATFORMS.contains(&platform.as_str())) {
        return refuse(".platforms", format!("must be some of {}", CHAT_PLATFORMS.join(", ")));
    }
    Ok(())
}

/// Words and patterns of the word filter.
pub(super) fn filter(config: &Map<String, Value>) -> MessageFilter {
    MessageFilter {
        words: strings(config, "words").map(str::to_owned).collect(),
        patterns: strings(config, "patterns").map(insensitive).collect(),
        whole_words: config.get("match_whole_word").and_then(Value::as_bool).unwrap_or(true),
    }
}

/// Returns a timer for each message. Messages that rotate share one timer, with the shortest interval and the
/// largest number of chat lines.
pub(super) fn timers(config: &Map<String, Value>) -> Vec<Timer> {
    let given = config.get("messages").cloned().unwrap_or_default();
    let Ok(messages) = serde_json::from_value::<Vec<TimedMessage>>(given) else { return Vec::new() };
    let timer = |name: String, messages: &[TimedMessage]| {
        let everywhere = messages.iter().any(|message| message.platforms.is_empty());
        let platforms: BTreeSet<&String> = messages.iter().flat_map(|message| &message.platforms).collect();
        Some(Timer {
            name,
            interval_secs: messages.iter().map(|message| message.interval_secs).min()?,
            min_chat_lines: messages.iter().map(|message| message.min_chat_lines).max()?,
            handler: "send".to_owned(),
            platforms: if everywhere { Vec::new() } else { platforms.into_iter().cloned().collect() },
        })
    };
    if config.get("rotate").and_then(Value::as_bool).unwrap_or_default() {
        return timer(ROTATION.to_owned(), &messages).into_iter().collect();
    }
    let each = messages.iter().enumerate();
    each.filter_map(|(index, message)| timer(index.to_string(), std::slice::from_ref(message))).collect()
}

/// Makes the expression case-insensitive.
fn insensitive(pattern: &str) -> String {
    format!("(?i:{pattern})")
}

fn strings<'a>(config: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a str> {
    config.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn refuse(key: &str, message: impl Into<String>) -> ConfigError {
    ConfigError { key: key.to_owned(), message: message.into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn messages_that_rotate_share_a_timer() {
        let message = |secs: u32, lines: u32, platforms: &[&str]| json!({ "text": "hi", "interval_secs": secs, "min_chat_lines": lines, "platforms": platforms });
        let messages = [message(60, 3, &["kick"]), message(120, 5, &["twitch"])];
        let each = timers(&object(json!({ "messages": messages, "rotate": false })));
        let seen: Vec<_> = each.iter().map(|timer| (timer.name.as_str(), timer.interval_secs)).collect();
        assert_eq!(seen, [("0", 60), ("1", 120)]);
        let rotating = timers(&object(json!({ "messages": messages, "rotate": true })));
        assert_eq!(rotating.len(), 1);
        assert_eq!((rotating[0].interval_secs, rotating[0].min_chat_lines), (60, 5));
        assert_eq!(rotating[0].platforms, ["kick", "twitch"]);
        assert_eq!(timers(&object(json!({ "messages": [], "rotate": true }))), []);
    }

    #[test]
    fn settings_that_a_manifest_cannot_describe_are_refused_by_place() {
        let wrong = |message: Value| messages(&object(json!({ "messages": [message] }))).unwrap_err();
        let too_often = wrong(json!({ "text": "hi", "interval_secs": 59 }));
        assert_eq!(
            (too_often.key.as_str(), too_often.message.as_str()),
            ("messages[0].interval_secs", "must be between 60 and 86400")
        );
        assert_eq!(wrong(json!({ "text": " ", "interval_secs": 60 })).key, "messages[0].text");
        assert_eq!(wrong(json!({ "interval_secs": 60 })).key, "messages[0]");
        assert_eq!(wrong(json!({ "text": "a", "interval_secs": 60, "x": 1 })).key, "messages[0].x");
        assert!(words(&object(json!({ "patterns": ["(a"] }))).is_err());
        assert!(words(&object(json!({ "patterns": [r"(?:\w{500}){500}"] }))).is_err());
        assert!(words(&object(json!({ "patterns": ["a+"], "words": ["b"] }))).is_ok());
        assert!(links(&object(json!({ "allowed_domains": ["https://a.example"] }))).is_err());
        assert!(links(&object(json!({ "allowed_domains": ["a.example"] }))).is_ok());
    }
}
