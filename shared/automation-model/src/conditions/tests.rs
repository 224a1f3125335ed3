use std::collections::BTreeMap;

use chrono::DateTime;
use serde_json::json;

use super::*;

fn holds(condition: Value) -> Result<bool, String> {
    let (null, vars, steps) = (Value::Null, Map::new(), BTreeMap::new());
    let trigger = json!({ "node_id": null, "type": "manual", "payload": {
        "n": 5, "text": "Hello", "list": [1, "two"], "none": null, "id": "1234567890123456789" } });
    let scope = Scope {
        trigger: &trigger,
        event: &null,
        user: &null,
        account: &null,
        stream: &null,
        vars: &vars,
        steps: &steps,
        now: DateTime::UNIX_EPOCH,
        timezone: chrono_tz::UTC,
    };
    Condition::parse(&condition)?.holds(&scope)
}

#[track_caller]
fn check(left: Value, op: &str, right: Value, expected: bool) {
    let condition = json!({ "left": left, "op": op, "right": right });
    assert_eq!(holds(condition.clone()), Ok(expected), "{condition}");
}

#[test]
fn conditions_compare_numbers_as_numbers_also_in_text() {
    check(json!("{{trigger.n}}"), "eq", json!("5.0"), true);
    check(json!("10"), "gt", json!("9"), true);
    check(json!(" 10 "), "gte", json!(10), true);
    check(json!("1e2"), "lt", json!(99), false);
    check(json!("{{trigger.n}}"), "lte", json!(5), true);
    check(json!("{{trigger.id}}"), "eq", json!("1234567890123456788"), false);
    check(json!(1_234_567_890_123_456_789_i64), "eq", json!("{{trigger.id}}"), true);
    check(json!("nan"), "eq", json!("nan"), true);
    check(json!("inf"), "gt", json!(5), true);
}

#[test]
fn conditions_compare_everything_else_as_text() {
    check(json!("abc"), "lt", json!("abd"), true);
    check(json!("10a"), "lt", json!("9"), true);
    check(json!(true), "eq", json!("true"), true);
    check(json!("Hello"), "eq", json!("hello"), false);
    check(json!("{{trigger.missing}}"), "eq", json!(""), true);
    for op in ["lt", "lte", "gt", "gte"] {
        check(json!("{{trigger.missing}}"), op, json!(5), false);
    }
    check(json!("{{trigger.text}}"), "ne", json!("World"), true);
    check(json!("{{trigger.text}} you"), "starts_with", json!("Hell"), true);
    check(json!("{{trigger.text}}"), "ends_with", json!("lo"), true);
    check(json!("{{trigger.text}}"), "contains", json!("ell"), true);
    check(json!("{{trigger.list}}"), "contains", json!("1"), true);
    check(json!("{{trigger.list}}"), "contains", json!("tw"), false);
}

#[test]
fn conditions_match_regular_expressions_of_bounded_size() {
    check(json!("{{trigger.text}}"), "matches", json!("^H[a-z]{4}$"), true);
    check(json!("{{trigger.text}}"), "matches", json!("(?i)^hello$"), true);
    check(json!("{{trigger.text}}"), "matches", json!("x"), false);
    for pattern in [json!("("), json!(""), json!(5), json!("a".repeat(513)), json!("(\\w{200}){200}")] {
        assert!(holds(json!({ "left": "a", "op": "matches", "right": pattern })).is_err());
    }
}

#[test]
fn conditions_know_what_exists() {
    for (left, there) in [
        ("{{trigger.n}}", true),
        ("{{trigger.none}}", false),
        ("{{trigger.missing}}", false),
        ("{{trigger.list.1}}", true),
        ("{{trigger.list.2}}", false),
        ("a{{trigger.missing}}", true),
    ] {
        assert_eq!(holds(json!({ "left": left, "op": "exists" })), Ok(there), "{left}");
    }
}

#[test]
fn conditions_are_grouped_at_most_five_deep() {
    let yes = json!({ "left": 1, "op": "eq", "right": 1 });
    let no = json!({ "left": 1, "op": "eq", "right": 2 });
    assert_eq!(holds(json!({ "all": [yes, no] })), Ok(false));
    assert_eq!(holds(json!({ "any": [no, yes] })), Ok(true));
    assert_eq!(holds(json!({ "all": [{ "any": [no, yes] }, yes] })), Ok(true));
    let nested = |depth: usize| (0..depth).fold(yes.clone(), |inner, _| json!({ "all": [inner] }));
    assert_eq!(holds(nested(MAX_GROUP_DEPTH)), Ok(true));
    assert!(holds(nested(MAX_GROUP_DEPTH + 1)).unwrap_err().contains("5 deep"));
}

#[test]
fn conditions_are_bounded_and_well_formed() {
    let yes = json!({ "left": 1, "op": "eq", "right": 1 });
    assert_eq!(holds(json!({ "all": vec![yes.clone(); MAX_COMPARISONS] })), Ok(true));
    assert!(holds(json!({ "all": vec![yes.clone(); MAX_COMPARISONS + 1] })).is_err());
    for malformed in [
        json!({}),
        json!([]),
        json!({ "all": [] }),
        json!({ "all": [yes], "any": [yes] }),
        json!({ "left": 1, "op": "is", "right": 1 }),
        json!({ "left": 1, "op": "eq" }),
        json!({ "op": "eq", "right": 1 }),
        json!({ "left": 1, "op": "eq", "right": 1, "not": true }),
        json!({ "left": "{{nothing.here}}", "op": "eq", "right": 1 }),
    ] {
        assert!(Condition::parse(&malformed).is_err(), "{malformed}");
    }
}

#[test]
fn condition_filter_reads_the_event_and_its_data() {
    let (null, vars, steps) = (Value::Null, Map::new(), BTreeMap::new());
    let event = json!({ "amount": 100, "username": "ada", "data": { "tier": "1000", "amount": 5 } });
    let scope = Scope {
        trigger: &null,
        event: &event,
        user: &null,
        account: &null,
        stream: &null,
        vars: &vars,
        steps: &steps,
        now: DateTime::UNIX_EPOCH,
        timezone: chrono_tz::UTC,
    };
    let check = |filter: Value| Filter::parse(&filter).unwrap().holds(&event, &scope, &Effort::of_start());
    assert!(check(json!({ "path": "amount", "op": "gte", "value": "100" })));
    assert!(check(json!({ "path": "event.tier", "op": "eq", "value": 1000 })));
    assert!(check(json!({ "path": "data.amount", "op": "lt", "value": "{{event.amount}}" })));
    assert!(check(json!({ "path": "username", "op": "exists" })));
    assert!(!check(json!({ "path": "message", "op": "exists" })));
    assert!(!check(json!({ "path": "message", "op": "gte", "value": 0 })));
    for malformed in [json!({ "op": "eq", "value": 1 }), json!({ "path": "a b", "op": "exists" }), json!(1)] {
        assert!(Filter::parse(&malformed).is_err(), "{malformed}");
    }
    let config = json!({ "filters": vec![json!({ "path": "a", "op": "exists" }); MAX_FILTERS + 1] });
    assert!(Filters::parse(config.as_object().unwrap()).is_err());
}
