//! Whom a failed run names. The run is sealed, so this stands beside it: who is to be erased must be found.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::platforms::Platform;
use uuid::Uuid;

/// Ids that are noted of one run.
const MOST: usize = 128;
/// Longest id of a person on a platform.
const LONGEST: usize = 128;
/// Stands for everybody: whoever is erased, the run goes.
const ANYBODY: &str = "*";
/// Digits of the shortest number that is an id by itself, and of the shortest one inside of a text.
const LEAST_DIGITS: usize = 4;
const LEAST_DIGITS_IN_TEXT: usize = 6;

/// The ids that stand in fields for ids, and everything else that looks like one: names of fields, as map keys do, whole
/// values, and words of texts. Texts that hold JSON, as answers of the host are recorded, are looked into.
pub(super) fn persons<'a>(values: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
    let mut ids = BTreeSet::new();
    for value in values {
        collect(value, None, &mut ids);
    }
    if ids.len() > MOST {
        return vec![ANYBODY.to_owned()];
    }
    ids.into_iter().collect()
}

fn collect(value: &Value, field: Option<&str>, ids: &mut BTreeSet<String>) {
    if ids.len() > MOST {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if looks_like_an_id(name, LEAST_DIGITS) {
                    note(name, ids);
                }
                collect(value, Some(name), ids);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(item, field, ids);
            }
        }
        Value::String(text) => collect_from_text(text, field, ids),
        Value::Number(number) => {
            let text = number.to_string();
            if field.is_some_and(holds_ids) || looks_like_an_id(&text, LEAST_DIGITS) {
                note(&text, ids);
            }
        }
        Value::Bool(_) | Value::Null => {}
    }
}

fn collect_from_text(text: &str, field: Option<&str>, ids: &mut BTreeSet<String>) {
    if text.starts_with(['{', '[', '"'])
        && let Ok(inner) = serde_json::from_str::<Value>(text)
    {
        return collect(&inner, field, ids);
    }
    if field.is_some_and(holds_ids) || looks_like_an_id(text, LEAST_DIGITS) {
        return note(text, ids);
    }
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | ':')) {
        if ids.len() > MOST {
            return;
        }
        let word = word.trim_matches(':');
        if looks_like_an_id(word, LEAST_DIGITS_IN_TEXT) {
            note(word, ids);
        }
    }
}

/// Nobody is called by a UUID on a platform; a viewer may be called by platform, colon and id.
fn note(text: &str, ids: &mut BTreeSet<String>) {
    let id = text.rsplit(':').next().unwrap_or(text);
    let is_of_one_word = !id.contains(|c: char| c.is_whitespace() || c.is_control());
    let is_id = (1..=LONGEST).contains(&id.len()) && is_of_one_word && id != ANYBODY;
    if is_id && Uuid::try_parse(id).is_err() {
        ids.insert(id.to_owned());
    }
}

fn holds_ids(field: &str) -> bool {
    let field = field.to_ascii_lowercase();
    field.ends_with("id") || field.ends_with("ids")
}

/// Numbers that are long enough, or stand behind a platform, and channels of YouTube.
fn looks_like_an_id(text: &str, least_digits: usize) -> bool {
    let (before, id) = text.rsplit_once(':').unwrap_or(("", text));
    let platform = before.rsplit(':').next().unwrap_or(before);
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && (id.len() >= least_digits || platform.parse::<Platform>().is_ok()))
        || (id.len() == 24 && id.starts_with("UC"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everybody_is_named_who_stands_where_ids_stand() {
        let input = json!({
            "user": { "id": "4711", "displayName": "Ann" },
            "data": { "gifter_user_id": "47", "recipient_user_id": 48, "text": "4712" },
            "mentionedIds": ["49", "50"],
            "accountId": "0192f0c1-2b3c-7d4e-8f90-123456789abc",
            "points": { "twitch:51000": 3, "UCaaaaaaaaaaaaaaaaaaaaaa": 1, "total": 9 },
        });
        let recording =
            json!({ "answers": [{ "call": { "error": false, "text": "{\"owner_id\":\"52\"}" } }] });
        assert_eq!(
            persons([&input, &recording]),
            ["47", "4711", "4712", "48", "49", "50", "51000", "52", "UCaaaaaaaaaaaaaaaaaaaaaa"]
        );
    }

    #[test]
    fn everybody_is_named_who_was_answered_with_whatever_the_field() {
        let told = |value: Value| {
            let text = value.to_string();
            persons([&json!([{ "completed": { "ticket": 1, "error": false, "text": text, "body": "" } }])])
        };
        for value in [
            json!("4711"),
            json!(4711),
            json!({ "viewer": "4711" }),
            json!({ "winner": "twitch:4711" }),
            json!({ "kept": "{\"viewer\":\"4711\"}" }),
            json!({ "scores": { "4711": 3 } }),
        ] {
            assert_eq!(told(value.clone()), ["4711"], "{value}");
        }
        assert_eq!(told(json!(["4711", "4712"])), ["4711", "4712"]);
        assert_eq!(told(json!({ "best": "kick:47" })), ["47"]);
        assert_eq!(told(json!("471100 met kick:47, not 4711.")), ["47", "471100"]);
        for value in [
            json!({ "count": 12, "name": "Ann", "on": true, "kind": "twitch:raid", "rate": 4711.5 }),
            json!("0192f0c1-2b3c-7d4e-8f90-123456789abc"),
            json!("2026-11-21T22:26:55.123456Z"),
        ] {
            assert_eq!(told(value.clone()), Vec::<String>::new(), "{value}");
        }
    }

    #[test]
    fn a_run_that_names_more_people_than_are_noted_may_name_anybody() {
        let ids: Vec<String> = (0..=MOST).map(|id| id.to_string()).collect();
        assert_eq!(persons([&json!({ "ids": ids[..MOST] })]).len(), MOST);
        assert_eq!(persons([&json!({ "ids": ids })]), [ANYBODY]);
    }
}
