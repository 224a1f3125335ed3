//! Comparison of a manifest's handlers with the exports of `server.js`
//! (reference/extensions.md#handler-check).

use std::collections::HashSet;

use extension_model::{BotModule, Manifest};

use super::{Errors, nearest::suggestion, shortened};
use crate::FieldError;

/// Maximum number of exports that a refusal lists.
const MAX_LISTED: usize = 10;
/// Maximum number of exports that are searched for the nearest one; a module may have any number.
const MAX_COMPARED: usize = 100;

/// Fields whose handler is not exported; at most 100.
pub(crate) fn check(manifest: &Manifest, exports: &[String]) -> Vec<FieldError> {
    let mut errors = Errors::default();
    let listed = listed(exports);
    let known: HashSet<&str> = exports.iter().map(String::as_str).collect();
    for (field, handler) in named(manifest) {
        if known.contains(handler) {
            continue;
        }
        if errors.is_full() {
            break;
        }
        let near = suggestion(handler, exports.iter().take(MAX_COMPARED).map(String::as_str));
        let message = format!("{} is not exported by server.js{near}{listed}", shortened(handler));
        errors.add(&field, message);
    }
    errors.0
}

fn listed(exports: &[String]) -> String {
    if exports.is_empty() {
        return "; it has no exports".to_owned();
    }
    let shown: Vec<_> = exports.iter().take(MAX_LISTED).map(|name| shortened(name)).collect();
    let more = if exports.len() > MAX_LISTED { ", …" } else { "" };
    format!("; its exports are {}{more}", shown.join(", "))
}

/// Each field with the export that it names.
fn named(manifest: &Manifest) -> Vec<(String, &str)> {
    let mut named = Vec::new();
    if let Some(module) = &manifest.bot_module {
        triggers(module, &mut named);
    }
    if let Some(node) = &manifest.automation_node {
        named.push(("automation_node.handler".to_owned(), node.handler.as_str()));
    }
    for (name, function) in manifest.functions.iter().filter(|(_, function)| function.declarative.is_none()) {
        match &function.handler {
            Some(handler) => named.push((format!("functions.{name}.handler"), handler)),
            None => named.push((format!("functions.{name}"), name)),
        }
    }
    named
}

fn triggers<'a>(module: &'a BotModule, named: &mut Vec<(String, &'a str)>) {
    let mut add = |list: &str, handlers: Vec<&'a String>| {
        for (index, handler) in handlers.into_iter().enumerate() {
            named.push((format!("bot_module.{list}[{index}].handler"), handler));
        }
    };
    add("commands", module.commands.iter().map(|command| &command.handler).collect());
    add("keywords", module.keywords.iter().map(|keyword| &keyword.handler).collect());
    add("patterns", module.patterns.iter().map(|pattern| &pattern.handler).collect());
    add("events", module.events.iter().map(|event| &event.handler).collect());
    add("timers", module.timers.iter().map(|timer| &timer.handler).collect());
    if let Some(handler) = &module.moderate {
        named.push(("bot_module.moderate".to_owned(), handler));
    }
}
