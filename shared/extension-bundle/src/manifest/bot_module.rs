//! Rules of `bot_module` (reference/extensions.md#bot-module).

use std::collections::HashSet;

use extension_model::{BotModule, feeds::Command};
use live_model::{EVENT_TYPES, EventType, is_custom};
use regex::RegexBuilder;

use super::{Errors, nearest::suggestion};

/// Maximum number of triggers of one kind. Each message is compared with all triggers of an account.
pub(super) const MAX_TRIGGERS: usize = 100;
pub(super) const MAX_PLATFORMS: usize = 4;
pub(super) const MAX_PATTERN_LENGTH: usize = 512;
/// Bound on the memory of one compiled pattern.
const MAX_PATTERN_BYTES: usize = 256 * 1024;
pub(super) const MAX_COOLDOWN_SECS: u32 = 86_400;

pub(super) fn check(module: &BotModule, errors: &mut Errors) {
    platforms(module, errors);
    commands(&module.commands, errors);
    keywords(module, errors);
    patterns(module, errors);
    events(module, errors);
    timers(module, errors);
    if let Some(handler) = &module.moderate {
        errors.handler("bot_module.moderate", handler);
    }
}

fn platforms(module: &BotModule, errors: &mut Errors) {
    if !errors.at_most("bot_module.platforms", module.platforms.len(), MAX_PLATFORMS) {
        return;
    }
    for (index, platform) in module.platforms.iter().enumerate() {
        let known = matches!(platform.as_str(), "twitch" | "youtube" | "kick" | "trovo");
        errors.require(
            known,
            &format!("bot_module.platforms[{index}]"),
            "must be one of twitch, youtube, kick, trovo",
        );
    }
    errors.require(
        !super::has_repeats(&module.platforms),
        "bot_module.platforms",
        "must not repeat an entry",
    );
}

fn commands(commands: &[Command], errors: &mut Errors) {
    if !errors.at_most("bot_module.commands", commands.len(), MAX_TRIGGERS) {
        return;
    }
    let mut names = HashSet::new();
    for (index, command) in commands.iter().enumerate() {
        let at = format!("bot_module.commands[{index}]");
        let alias = command.alias.as_ref().map(|alias| ("alias", alias));
        for (part, name) in [("name", &command.name)].into_iter().chain(alias) {
            let field = format!("{at}.{part}");
            errors.require(
                is_command(name),
                &field,
                "must have 1 to 32 small letters, digits and `_`, without prefix",
            );
            errors.require(names.insert(name), &field, "must not be used twice");
        }
        for (part, seconds) in
            [("cooldown_global", command.cooldown_global), ("cooldown_user", command.cooldown_user)]
        {
            errors.require(
                seconds <= MAX_COOLDOWN_SECS,
                &format!("{at}.{part}"),
                "must be at most 86400 seconds",
            );
        }
        errors.handler(&format!("{at}.handler"), &command.handler);
    }
}

fn keywords(module: &BotModule, errors: &mut Errors) {
    if !errors.at_most("bot_module.keywords", module.keywords.len(), MAX_TRIGGERS) {
        return;
    }
    for (index, keyword) in module.keywords.iter().enumerate() {
        let at = format!("bot_module.keywords[{index}]");
        errors.text(&format!("{at}.value"), &keyword.value, 100);
        errors.handler(&format!("{at}.handler"), &keyword.handler);
    }
}

fn patterns(module: &BotModule, errors: &mut Errors) {
    if !errors.at_most("bot_module.patterns", module.patterns.len(), MAX_TRIGGERS) {
        return;
    }
    for (index, pattern) in module.patterns.iter().enumerate() {
        let at = format!("bot_module.patterns[{index}]");
        if let Err(rule) = pattern_rule(&pattern.regex) {
            errors.require(false, &format!("{at}.regex"), &rule);
        }
        errors.handler(&format!("{at}.handler"), &pattern.handler);
    }
}

/// Checks that a linear-time engine compiles the pattern within bounds.
fn pattern_rule(pattern: &str) -> Result<(), String> {
    let length = pattern.chars().count();
    if !(1..=MAX_PATTERN_LENGTH).contains(&length) {
        return Err(format!("must be between 1 and {MAX_PATTERN_LENGTH} characters"));
    }
    let compiled =
        RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES).build();
    match compiled {
        Ok(_) => Ok(()),
        Err(regex::Error::CompiledTooBig(_)) => Err("compiles to more than 256 KiB".to_owned()),
        Err(error) => {
            Err(format!("is not a pattern: {}", error.to_string().lines().last().unwrap_or_default()))
        }
    }
}

fn events(module: &BotModule, errors: &mut Errors) {
    if !errors.at_most("bot_module.events", module.events.len(), MAX_TRIGGERS) {
        return;
    }
    for (index, event) in module.events.iter().enumerate() {
        let at = format!("bot_module.events[{index}]");
        let is_type = EventType::find(&event.event_type).is_some() || is_custom(&event.event_type);
        if !is_type {
            let near = suggestion(&event.event_type, EVENT_TYPES.iter().map(|known| known.name));
            errors.require(
                false,
                &format!("{at}.event_type"),
                &format!(
                    "must be a type of the event catalogue, such as twitch:follower, or custom: and a name{near}"
                ),
            );
        }
        errors.handler(&format!("{at}.handler"), &event.handler);
    }
}

fn timers(module: &BotModule, errors: &mut Errors) {
    if !errors.at_most("bot_module.timers", module.timers.len(), MAX_TRIGGERS) {
        return;
    }
    let mut names = HashSet::new();
    for (index, timer) in module.timers.iter().enumerate() {
        let at = format!("bot_module.timers[{index}]");
        errors.text(&format!("{at}.name"), &timer.name, 64);
        errors.require(names.insert(&timer.name), &format!("{at}.name"), "must not be used twice");
        errors.require(
            (30..=86_400).contains(&timer.interval_secs),
            &format!("{at}.interval_secs"),
            "must be between 30 and 86400",
        );
        errors.handler(&format!("{at}.handler"), &timer.handler);
    }
}

/// Matches `^[a-z0-9_]{1,32}$`.
fn is_command(name: &str) -> bool {
    (1..=32).contains(&name.len()) && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::pattern_rule;

    #[test]
    fn patterns_are_linear_and_bounded() {
        assert_eq!(pattern_rule(r"(?i)^!so\s+@?(\w+)"), Ok(()));
        for wrong in ["", "(", r"(a)\1", "(?=a)", r"\pL{1000}{1000}", &"a".repeat(513)] {
            assert!(pattern_rule(wrong).is_err(), "{wrong}");
        }
    }
}
