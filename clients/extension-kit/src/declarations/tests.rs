use std::{collections::BTreeSet, fs, path::PathBuf};

use chrono::DateTime;
use extension_model::{
    actions::ActionKind,
    feeds::{TriggerFeed, TriggerInstall},
};
use extension_runtime::triggers::{CommandLine, Source, TimerRun, Triggers};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{inputs::INTERFACES, *};
use crate::{event_input::simulated, line_input::LineInput};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Rewrites a published file when `UPDATE_EXTENSION_TYPES` is set; else it must be equal.
#[track_caller]
fn published(name: &str, text: &str) {
    let path = root().join("clients/extension-types").join(name);
    if std::env::var_os("UPDATE_EXTENSION_TYPES").is_some() {
        fs::write(&path, text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "{} is outdated: UPDATE_EXTENSION_TYPES=1 ./scripts/test -E 'package(lumio-ext)'",
        path.display()
    );
}

#[test]
fn declarations_of_the_npm_package_are_those_that_are_printed() {
    published("index.d.ts", &text());
    published("lumio.config.schema.json", &schema());
}

/// Asserts that an interface declares exactly the keys of a value.
#[track_caller]
fn declares(interface: &str, value: &Value) {
    let declared = INTERFACES.iter().find(|declared| declared.name == interface).unwrap();
    let declared: BTreeSet<&str> = declared.fields.iter().map(|(name, ..)| *name).collect();
    let found: BTreeSet<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(declared, found, "{interface}");
}

#[test]
fn declarations_of_inputs_are_those_that_handlers_get() {
    let install: TriggerInstall = serde_json::from_value(json!({
        "install_id": Uuid::nil(), "extension_id": Uuid::nil(), "extension_name": "", "has_moderate": true,
        "platforms": ["twitch"], "moderate": "m",
        "commands": [{ "name": "roll", "handler": "h" }], "keywords": [{ "value": "roll", "handler": "h" }],
        "patterns": [{ "regex": "(r)oll", "handler": "h" }],
        "events": [{ "event_type": "twitch:raid", "handler": "h" }],
        "timers": [{ "name": "tip", "interval_secs": 60, "handler": "h" }],
    }))
    .unwrap();
    let triggers = Triggers::compile(&TriggerFeed { installs: vec![install], killed: false });
    let line = LineInput::Text("!roll 6".to_owned()).line(true, DateTime::UNIX_EPOCH);
    let command = CommandLine::parse(&line.message.text, "!").unwrap();
    let calls = triggers.of_chat(&line, Some(&command));
    declares("ModerateInput", &calls.moderate[0].input.to_json());
    let command = calls.commands[0].input.to_json();
    declares("CommandInput", &command);
    declares("KeywordInput", &calls.others[0].input.to_json());
    declares("PatternInput", &calls.others[1].input.to_json());
    declares("Message", &command["message"]);
    declares("Chatter", &command["message"]["user"]);
    let event = simulated("twitch:raid", 1, DateTime::UNIX_EPOCH).unwrap();
    let input = triggers.of_event(&event)[0].input.to_json();
    declares("EventInput", &input);
    declares("AccountEvent", &input["event"]);
    let due = TimerRun { install_id: Uuid::nil(), name: "tip".into(), platform: "twitch".into(), run: 1 };
    declares("TimerInput", &triggers.of_timer(&due).unwrap().input.to_json());
    declares("Auth", &Source::Chat(Box::new(line)).auth(Uuid::nil(), Uuid::nil()));
    let (badge, emote) = (
        live_model::Badge { id: "a".into(), version: "1".into(), info: None },
        live_model::Emote { id: "a".into(), name: "b".into() },
    );
    declares("Badge", &json!(badge));
    declares("Emote", &json!(emote));
}

#[test]
fn declarations_have_every_action_export_and_member_of_the_product() {
    let text = text();
    for kind in ActionKind::ALL {
        // The others can be declared by no manifest.
        let is_open = ["chat:", "events:"].iter().any(|group| kind.as_str().starts_with(group));
        assert_eq!(
            text.contains(&format!("    \"{}\": {{ payload:", kind.as_str())),
            is_open,
            "{}",
            kind.as_str()
        );
    }
    let sdk = fs::read_to_string(root().join("shared/sandbox/engine/sdk.js")).unwrap();
    let exports = sdk.lines().filter_map(|line| line.strip_prefix("export const "));
    let exports: BTreeSet<&str> = exports.filter_map(|line| line.split([' ', '=']).next()).collect();
    let declared = SDK.lines().filter_map(|line| {
        line.strip_prefix("  export const ").or_else(|| line.strip_prefix("  export function "))
    });
    let declared: BTreeSet<&str> = declared.filter_map(|line| line.split([':', '(', '<']).next()).collect();
    assert_eq!(declared, exports);
    let page = fs::read_to_string(root().join("api/overlays/src/pages/script/layer.js")).unwrap();
    let host = LAYER.split("interface LayerHost {").nth(1).unwrap().split("\n  }").next().unwrap();
    let members = host.lines().map(str::trim).filter(|line| !line.starts_with("/**") && !line.is_empty());
    for member in members {
        let name = member.trim_start_matches("readonly ").split([':', '(', '<']).next().unwrap();
        let is_given = page.lines().map(str::trim).any(|line| {
            line.trim_start_matches("get ")
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with([':', '(', ',']))
        });
        assert!(is_given, "no page gives layers {name}");
    }
}

#[test]
fn declarations_of_the_manifest_and_of_events_follow_their_tables() {
    let text = text();
    for part in [
        "  interface Manifest {\n",
        "    category: \"widget\" | \"bot_module\" | \"automation_node\" | \"theme\" | \"integration\";\n",
        "    config_schema?: { [name: string]: {\n",
        "event_type: EventType;\n",
        "    \"twitch:raid\": {\n      from_broadcaster_name: string | null;\n",
        "  interface QueryContext {\n",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let query = text.split("interface QueryContext {").nth(1).unwrap().split("interface").next().unwrap();
    assert!(query.contains("query<") && !query.contains("insert<") && !query.contains("fetch("), "{query}");
}
