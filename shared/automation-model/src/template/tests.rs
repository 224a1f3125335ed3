use std::collections::BTreeMap;

use chrono::DateTime;
use serde_json::{Map, json};
use uuid::Uuid;

use super::*;

struct Values {
    trigger: Value,
    event: Value,
    user: Value,
    null: Value,
    vars: Map<String, Value>,
    steps: BTreeMap<Uuid, Value>,
}

const STEP: &str = "00000000-0000-0000-0000-000000000007";

impl Values {
    fn new() -> Self {
        let vars = json!({ "list": [1, "two", null], "big": "x".repeat(40_000), "<": "{{user.name}}" });
        Self {
            trigger: json!({ "node_id": "n", "type": "manual", "payload": { "type": "inner", "items": [1, 2], "input": { "n": 9 } } }),
            event: json!({ "id": "e", "data": { "bits": 100, "id": "inner" } }),
            user: json!({ "name": "Ada {{event.id}}", "follower": true, "since": "2026-07-01T22:30:00Z" }),
            null: Value::Null,
            vars: vars.as_object().unwrap().clone(),
            steps: BTreeMap::from([(STEP.parse().unwrap(), json!({ "status": 200 }))]),
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            trigger: &self.trigger,
            event: &self.event,
            user: &self.user,
            account: &self.null,
            stream: &self.null,
            vars: &self.vars,
            steps: &self.steps,
            now: DateTime::from_timestamp(1_767_225_600, 0).unwrap(),
            timezone: chrono_tz::Europe::Berlin,
        }
    }
}

fn text(template: &str) -> String {
    Template::parse(template).unwrap().text(&Values::new().scope()).unwrap()
}

fn value(template: &str) -> Value {
    Template::parse(template).unwrap().value(&Values::new().scope()).unwrap()
}

#[test]
fn templates_fill_in_paths() {
    assert_eq!(text("Hi {{ user.name }}!"), "Hi Ada {{event.id}}!");
    assert_eq!(text("{{event.bits}}/{{event.id}}/{{event.data.id}}"), "100/e/inner");
    assert_eq!(text("{{trigger.items.1}} {{trigger.type}} {{trigger.payload.type}}"), "2 manual inner");
    assert_eq!(text("{{trigger.n}}{{trigger.input.n}}"), "99");
    assert_eq!(text(&format!("{{{{steps.{STEP}.status}}}}")), "200");
    assert_eq!(text("{{vars.list}} {{user.follower}}"), r#"[1,"two",null] true"#);
    assert_eq!(text("a{{user.missing}}{{account.name}}{{vars.no.such}}b"), "ab");
    assert_eq!(text("{{now}}"), "2026-01-01T00:00:00.000Z");
    assert_eq!(text("{ } }} { {a}"), "{ } }} { {a}");
}

#[test]
fn templates_of_one_placeholder_keep_the_type() {
    assert_eq!(value("{{trigger.items}}"), json!([1, 2]));
    assert_eq!(value("{{event.bits}}"), json!(100));
    assert_eq!(value("{{event.bits}} "), json!("100 "));
    assert_eq!(value("{{user.missing}}"), json!(""));
    assert_eq!(value("{{vars.list.2}}"), Value::Null);
    let nested = ValueTemplate::parse(&json!({ "a": ["{{event.bits}}", 1], "{{b}}": null })).unwrap();
    assert_eq!(nested.value(&Values::new().scope()).unwrap(), json!({ "a": [100, 1], "{{b}}": null }));
}

#[test]
fn templates_apply_filters_in_order() {
    assert_eq!(text("{{user.name|upper}} {{ trigger.type | upper | lower }}"), "ADA {{EVENT.ID}} manual");
    assert_eq!(text("{{user.nick|default: Someone }}{{user.nick|default:}}"), "Someone");
    assert_eq!(text("{{trigger.type|default:x}}"), "manual");
    assert_eq!(value("{{vars.list.1|number|default:0}}"), json!("0"));
    assert_eq!(value("{{event.bits|upper|number}}"), json!(100));
    assert_eq!(value("{{user.follower|number}}"), json!(1));
    assert_eq!(text("{{user.since|date:%d.%m.%Y %H:%M}}"), "02.07.2026 00:30");
    assert_eq!(text("{{now|date:%Y}}{{user.name|date:%Y}}{{user.missing|date:%Y|default:-}}"), "2026-");
}

#[test]
fn templates_read_times_of_any_number_without_panic() {
    for number in [i64::MIN, -1, 0, 99_999_999_999, 100_000_000_000, i64::MAX] {
        let vars = json!({ "at": number, "text": number.to_string() });
        let values = Values { vars: vars.as_object().unwrap().clone(), ..Values::new() };
        for format in ["%c", "%+", "%s", "%.9f", "%Z %z %:z", "%G-W%V-%u", "%e %k %l %p", "%%"] {
            for name in ["at", "text"] {
                let template = Template::parse(&format!("{{{{vars.{name}|date:{format}}}}}")).unwrap();
                assert!(template.text(&values.scope()).unwrap().len() < 128);
            }
        }
    }
    let formats = (b' '..=b'~').map(char::from).filter(|letter| !"|{}".contains(*letter));
    for letter in formats {
        if let Ok(template) = Template::parse(&format!("{{{{now|date:%{letter}}}}}")) {
            assert!(template.text(&Values::new().scope()).is_ok(), "%{letter}");
        }
    }
}

#[test]
fn templates_refuse_what_the_grammar_does_not_have() {
    for malformed in [
        "{{ {{ }} }}",
        "{{ {{user.name}} }}",
        "{{user.name",
        "{{}}",
        "{{user..name}}",
        "{{user.name()}}",
        "{{1+1}}",
        "{{secrets.token}}",
        "{{steps.first.status}}",
        "{{steps}}",
        "{{user.name|reverse}}",
        "{{user.name|}}",
        "{{user.name|default}}",
        "{{user.name|upper:1}}",
        "{{now|date:}}",
        "{{now|date:%Q}}",
        "{{now|date:%}}",
    ] {
        assert!(Template::parse(malformed).is_err(), "{malformed}");
    }
}

#[test]
fn templates_are_bounded() {
    let many = |count: usize| Template::parse(&"{{now}}".repeat(count));
    assert!(many(MAX_PLACEHOLDERS).is_ok());
    assert!(many(MAX_PLACEHOLDERS + 1).is_err());
    let filters = |count: usize| Template::parse(&format!("{{{{now{}}}}}", "|upper".repeat(count)));
    assert!(filters(MAX_PLACEHOLDER_FILTERS).is_ok());
    assert!(filters(MAX_PLACEHOLDER_FILTERS + 1).is_err());
    let path = |count: usize| Template::parse(&format!("{{{{user{}}}}}", ".a".repeat(count - 1)));
    assert!(path(MAX_PATH_DEPTH).is_ok());
    assert!(path(MAX_PATH_DEPTH + 1).is_err());
    let format = |length: usize| Template::parse(&format!("{{{{now|date:{}}}}}", "x".repeat(length)));
    assert!(format(MAX_DATE_FORMAT_LENGTH).is_ok());
    assert!(format(MAX_DATE_FORMAT_LENGTH + 1).is_err());
}

#[test]
fn templates_render_at_most_sixty_four_kibibytes() {
    let values = Values::new();
    assert_eq!(text("{{vars.big}}").len(), 40_000);
    assert!(Template::parse("{{vars.big}}{{vars.big}}").unwrap().text(&values.scope()).is_err());
    let twice = ValueTemplate::parse(&json!(["{{vars.big}}", "{{vars.big}}"])).unwrap();
    assert!(twice.value(&values.scope()).is_err());
    let too_large = json!({ "big": vec!["x".repeat(1000); 100] });
    let values = Values { vars: too_large.as_object().unwrap().clone(), ..values };
    for template in ["{{vars.big}}", "{{vars.big|upper}}", "a{{vars.big}}"] {
        assert!(Template::parse(template).unwrap().value(&values.scope()).is_err(), "{template}");
    }
}

#[test]
fn templates_render_at_most_sixty_four_levels() {
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    for (levels, fits) in [(MAX_RENDERED_DEPTH, true), (MAX_RENDERED_DEPTH + 1, false)] {
        let vars = json!({ "deep": nested(levels) });
        let values = Values { vars: vars.as_object().unwrap().clone(), ..Values::new() };
        assert_eq!(Template::parse("{{vars.deep}}").unwrap().value(&values.scope()).is_ok(), fits);
        let wrapped = ValueTemplate::parse(&json!(["{{vars.deep}}"])).unwrap();
        assert!(levels < MAX_RENDERED_DEPTH || wrapped.value(&values.scope()).is_err());
    }
}
