//! Configuration of trigger nodes. It holds no templates, except for the values of filters.

use chrono_tz::Tz;
use serde_json::{Map, Value};
use shared::catalogue::{FEATURES, FeatureCategory};
use uuid::Uuid;

use super::{KeywordMatch, Trigger};
use crate::{
    conditions::Filters,
    config::{check_keys, object},
    model::Node,
    node_types::{Kind, MAX_PLATFORMS, find_of_kind},
    schedule,
};

/// Maximum number of event types of a trigger (reference/automations.md#nodes).
pub const MAX_EVENT_TYPES: usize = 50;
/// Maximum length of a keyword, in characters (reference/automations.md#nodes).
pub const MAX_KEYWORD_LENGTH: usize = 100;
/// Maximum length of the name of a command, in characters (reference/automations.md#nodes).
pub const MAX_COMMAND_LENGTH: usize = 32;
/// Maximum length of the name of an event that no platform has, in characters
/// (reference/automations.md#nodes).
pub const MAX_EVENT_NAME_LENGTH: usize = 64;
/// Platforms and services that events and chat lines come from.
const SOURCES: [&str; 8] =
    ["twitch", "youtube", "kick", "trovo", "discord", "spotify", "streamelements", "shopify"];

/// Reads the trigger of a node.
///
/// # Errors
/// A node that is no trigger, or a configuration that is not valid.
pub fn parse(node: &Node) -> Result<Trigger, String> {
    let node_type = find_of_kind(&node.r#type, Kind::Trigger).ok_or("type must be that of a trigger")?;
    let config = object(&node.config)?;
    if node_type.name == "extension" {
        return Ok(Trigger::Extension);
    }
    check_keys(node_type, &node.config)?;
    Ok(match node_type.name {
        "event" => Trigger::Event {
            event_types: event_types(config)?,
            platforms: platforms(config)?,
            filters: Filters::parse(config)?,
        },
        "chat_command" => Trigger::ChatCommand { command: command(config)?, platforms: platforms(config)? },
        "bot_command" => Trigger::BotCommand { command: command(config)?, platforms: platforms(config)? },
        "chat_keyword" => Trigger::ChatKeyword {
            keyword: keyword(config)?,
            r#match: keyword_match(config)?,
            platforms: platforms(config)?,
        },
        "reward_redeemed" => Trigger::RewardRedeemed { reward_id: reward(config)? },
        "schedule" => {
            let cron = text(config, "cron")?;
            schedule::check(cron)?;
            Trigger::Schedule { cron: cron.trim().to_owned(), timezone: timezone(config)? }
        }
        "stream_online" => Trigger::StreamOnline { platforms: platforms(config)? },
        "stream_offline" => Trigger::StreamOffline { platforms: platforms(config)? },
        _ => Trigger::Manual,
    })
}

fn given<'a>(config: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    config.get(key).filter(|value| !value.is_null())
}

fn text<'a>(config: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    given(config, key).and_then(Value::as_str).ok_or_else(|| format!("{key} must be a text"))
}

fn texts<'a>(config: &'a Map<String, Value>, key: &str) -> Result<Vec<&'a str>, String> {
    let malformed = || format!("{key} must be a list of texts");
    let Some(list) = given(config, key) else { return Ok(Vec::new()) };
    let list = list.as_array().ok_or_else(malformed)?;
    list.iter().map(|entry| entry.as_str().ok_or_else(malformed)).collect()
}

fn platforms(config: &Map<String, Value>) -> Result<Vec<String>, String> {
    let platforms = texts(config, "platforms")?;
    if platforms.len() > MAX_PLATFORMS || platforms.iter().any(|name| !SOURCES.contains(name)) {
        return Err(format!("platforms must have at most {MAX_PLATFORMS} of {}", SOURCES.join(", ")));
    }
    Ok(platforms.into_iter().map(str::to_owned).collect())
}

fn event_types(config: &Map<String, Value>) -> Result<Vec<String>, String> {
    let types = texts(config, "event_types")?;
    if !(1..=MAX_EVENT_TYPES).contains(&types.len()) {
        return Err(format!("event_types must have 1 to {MAX_EVENT_TYPES} entries"));
    }
    if let Some(unknown) = types.iter().find(|name| !is_event_type(name)) {
        let unknown: String = unknown.chars().take(MAX_EVENT_NAME_LENGTH).collect();
        return Err(format!("event_types must be event types or custom: and a name; `{unknown}` is unknown"));
    }
    Ok(types.into_iter().map(str::to_owned).collect())
}

fn is_event_type(name: &str) -> bool {
    if let Some(custom) = name.strip_prefix("custom:") {
        return (1..=MAX_EVENT_NAME_LENGTH).contains(&custom.len())
            && custom.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    }
    let mut of_events = FEATURES.iter().filter(|(category, _)| *category == FeatureCategory::Event);
    of_events.any(|(_, names)| names.contains(&name))
}

fn command(config: &Map<String, Value>) -> Result<String, String> {
    let given = text(config, "command")?.trim().to_lowercase();
    let name = given.strip_prefix('!').unwrap_or(&given);
    let is_name = (1..=MAX_COMMAND_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_name {
        return Ok(name.to_owned());
    }
    Err(format!("command must have 1 to {MAX_COMMAND_LENGTH} characters of a-z, 0-9 and _"))
}

fn keyword(config: &Map<String, Value>) -> Result<String, String> {
    let keyword = text(config, "keyword")?.trim().to_lowercase();
    if (1..=MAX_KEYWORD_LENGTH).contains(&keyword.chars().count()) {
        return Ok(keyword);
    }
    Err(format!("keyword must have 1 to {MAX_KEYWORD_LENGTH} characters"))
}

fn keyword_match(config: &Map<String, Value>) -> Result<KeywordMatch, String> {
    match given(config, "match").map(Value::as_str) {
        None | Some(Some("word")) => Ok(KeywordMatch::Word),
        Some(Some("contains")) => Ok(KeywordMatch::Contains),
        Some(_) => Err("match must be word or contains".to_owned()),
    }
}

fn reward(config: &Map<String, Value>) -> Result<Option<Uuid>, String> {
    let Some(reward) = given(config, "reward_id") else { return Ok(None) };
    let id = reward.as_str().and_then(|text| Uuid::parse_str(text).ok());
    Ok(Some(id.ok_or("reward_id must be an id or null")?))
}

fn timezone(config: &Map<String, Value>) -> Result<Option<Tz>, String> {
    let Some(name) = given(config, "timezone") else { return Ok(None) };
    let timezone = name.as_str().and_then(|name| name.parse().ok());
    Ok(Some(timezone.ok_or("timezone must be the name of a time zone, as Europe/Berlin")?))
}
