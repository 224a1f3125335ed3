//! Templates of any text, of nodes and of bot commands, which share a parser (reference/automations.md#templates).

use std::{borrow::Cow, collections::BTreeMap};

use automation_model::template::{MAX_RENDERED, Scope, Template, ValueTemplate};
use chrono::DateTime;
use extension_model::bots;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::common::Numbers;

const SEED: u64 = 20_261_128;
const TEXTS: usize = 3_000;
/// Maximum number of parts of a text.
const MAX_PARTS: usize = 24;
const STEP: &str = "00000000-0000-0000-0000-000000000007";
/// Value that no path of the texts names.
const SECRET: &str = "hunter2";

/// Parts of the texts: whole placeholders, and what they are made of.
const PARTS: [&str; 33] = [
    "{{user.name}}",
    "{{vars.large}}",
    "{{ user.name | upper | lower }}",
    "{{vars.list.1.a|default:none}}",
    "{{steps.00000000-0000-0000-0000-000000000007.status|number}}",
    "{{now|date:%Y-%m-%d}}",
    "{{trigger.payload.at|date:%c}}",
    "{user}",
    "{random:a,b}",
    "{{",
    "}}",
    "{",
    "}",
    "|",
    ".",
    ":",
    " ",
    "\0",
    "%",
    "user",
    "vars",
    "steps",
    STEP,
    "name",
    "large",
    "list",
    "now",
    "upper",
    "default",
    "date",
    "-1",
    "ß漢",
    "\u{202e}",
];

fn text(numbers: &mut Numbers) -> String {
    (0..1 + numbers.below(MAX_PARTS)).map(|_| numbers.pick(&PARTS)).collect()
}

#[test]
fn templates_of_any_text_neither_panic_nor_grow_beyond_their_bound() {
    let trigger = json!({ "payload": { "at": i64::MAX, "vars": { "secret": SECRET } } });
    // Values that are templates themselves stay as they are.
    let user = json!({ "name": "{{vars.secret}}{{trigger.payload.vars.secret}}" });
    let vars: Map<String, Value> = Map::from_iter([
        ("large".to_owned(), json!("ß".repeat(MAX_RENDERED / 5))),
        ("list".to_owned(), json!([1, { "a": "{{user.name}}" }])),
        ("secret".to_owned(), json!(SECRET)),
    ]);
    let steps = BTreeMap::from([(STEP.parse::<Uuid>().unwrap(), json!({ "status": "200" }))]);
    let scope = Scope {
        trigger: &trigger,
        event: &Value::Null,
        user: &user,
        account: &Value::Null,
        stream: &Value::Null,
        vars: &vars,
        steps: &steps,
        now: DateTime::UNIX_EPOCH,
        timezone: "Europe/Berlin".parse().unwrap(),
    };
    let (mut numbers, mut parsed, mut too_large) = (Numbers(SEED), 0, 0);
    for _ in 0..TEXTS {
        let text = text(&mut numbers);
        let Ok(template) = Template::parse(&text) else { continue };
        parsed += usize::from(!template.is_constant());
        match template.text(&scope) {
            Ok(rendered) => assert!(rendered.len() <= MAX_RENDERED && !rendered.contains(SECRET), "{text}"),
            Err(_bound) => too_large += 1,
        }
        let many = ValueTemplate::parse(&json!([text, { "a": text }])).expect("it is parsed above");
        for value in [template.value(&scope), many.value(&scope)].into_iter().flatten() {
            let rendered = value.to_string();
            assert!(rendered.len() <= 2 * MAX_RENDERED && !rendered.contains(SECRET), "{text}");
        }
    }
    assert!(parsed > TEXTS / 20 && too_large > 0, "{parsed} have placeholders, {too_large} are too large");
}

#[test]
fn templates_of_bot_commands_fill_in_their_variables_only() {
    let mut numbers = Numbers(SEED);
    let mut filled_in = 0;
    for seed in 0..TEXTS {
        let text = text(&mut numbers);
        // A value that holds a variable is not filled in again.
        let value = |name: &str| (name == "user").then_some(Cow::Borrowed("{user}{random:1,2}"));
        let filled = bots::fill(&text, value, u64::try_from(seed).unwrap());
        assert!(filled.len() <= 4 * text.len(), "{text}");
        if ["{user}", "{random:"].iter().any(|variable| text.contains(variable)) {
            filled_in += 1;
        } else {
            assert_eq!(filled, text);
        }
    }
    assert!(filled_in > TEXTS / 20, "{filled_in} have variables");
}
