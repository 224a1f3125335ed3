//! Ids of the people in a failed run (reference/privacy.md#erasure-of-a-person). The run is sealed, so these
//! are stored next to it: an erasure must find them.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::{
    person_ids::{MIN_ID_LENGTH, is_field_for_ids},
    platform::Platform,
};
use uuid::Uuid;

/// Maximum number of ids of one run.
const MAX_IDS: usize = 128;
/// Maximum length of a platform's user id, in bytes.
const MAX_LENGTH: usize = 128;
/// Entry for a run with too many ids: any erasure deletes it.
const ANYBODY: &str = "*";
/// Prefix of the id of a YouTube channel.
const CHANNEL_ID_PREFIX: &str = "UC";
/// Length of the id of a YouTube channel, in characters.
const CHANNEL_ID_LENGTH: usize = 24;
/// Number of digits of a time in milliseconds; numbers of this length near the time of the run are no ids.
const TIMESTAMP_DIGITS: usize = 13;
/// Maximum distance from the time of the run at which a number counts as a time.
const TIME_WINDOW: chrono::Duration = chrono::Duration::days(366);

/// Returns the values of id fields, and everything else that resembles an id: names of fields, as in maps,
/// and words of texts. Texts that hold JSON, like recorded answers of the host, are parsed.
pub(super) fn persons<'a>(values: impl IntoIterator<Item = &'a Value>, at: DateTime<Utc>) -> Vec<String> {
    let mut persons = Persons { ids: BTreeSet::new(), at };
    for value in values {
        persons.collect(value, None);
    }
    if persons.are_too_many() {
        return vec![ANYBODY.to_owned()];
    }
    persons.ids.into_iter().collect()
}

/// Ids found so far.
struct Persons {
    ids: BTreeSet<String>,
    /// Time of the failure.
    at: DateTime<Utc>,
}

impl Persons {
    fn collect(&mut self, value: &Value, field: Option<&str>) {
        if self.are_too_many() {
            return;
        }
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.collect_from_words(name);
                    self.collect(value, Some(name));
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.collect(item, field);
                }
            }
            Value::String(text) => self.collect_from_text(text, field),
            Value::Number(number) if number.is_u64() => self.collect_from_text(&number.to_string(), field),
            Value::Number(_) | Value::Bool(_) | Value::Null => {}
        }
    }

    fn collect_from_text(&mut self, text: &str, field: Option<&str>) {
        if text.starts_with(['{', '[', '"'])
            && let Ok(inner) = serde_json::from_str::<Value>(text)
        {
            return self.collect(&inner, field);
        }
        if field.is_some_and(is_field_for_ids) {
            for id in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')) {
                // A viewer may be named by platform, colon and id.
                self.note(id.rsplit(':').next().unwrap_or(id));
            }
        }
        self.collect_from_words(text);
    }

    fn collect_from_words(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | ':')) {
            if self.are_too_many() {
                return;
            }
            let mut rest = word;
            while let Some(at) = channel_in(rest) {
                let (before, channel_on) = rest.split_at(at);
                let (channel, after) = channel_on.split_at(CHANNEL_ID_LENGTH);
                self.collect_numbers(before);
                self.note(channel);
                rest = after;
            }
            self.collect_numbers(rest);
        }
    }

    /// Collects numbers that are long enough, or follow a platform: `471100`, `user471100`, `seen_471100`,
    /// `kick:47`.
    fn collect_numbers(&mut self, word: &str) {
        let mut before = "";
        for part in word.split([':', '_']).filter(|part| !is_uuid(part)) {
            for part in part.split('-') {
                let number = part.trim_start_matches(|c: char| c.is_ascii_alphabetic());
                let (letters, _) = part.split_at(part.len() - number.len());
                let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                let is_by_itself = number.len() >= MIN_ID_LENGTH && !self.is_time(number);
                if is_number
                    && (is_by_itself || is_platform(if letters.is_empty() { before } else { letters }))
                {
                    self.note(number);
                }
                before = part;
            }
        }
    }

    fn is_time(&self, number: &str) -> bool {
        let at = (number.len() == TIMESTAMP_DIGITS)
            .then(|| number.parse().ok().and_then(DateTime::from_timestamp_millis));
        at.flatten().is_some_and(|at| (at - self.at).abs() <= TIME_WINDOW)
    }

    fn note(&mut self, id: &str) {
        let is_id = (1..=MAX_LENGTH).contains(&id.len()) && !id.contains(char::is_control) && id != ANYBODY;
        if is_id && !is_uuid(id) && !self.are_too_many() {
            self.ids.insert(id.to_owned());
        }
    }

    fn are_too_many(&self) -> bool {
        self.ids.len() > MAX_IDS
    }
}

/// Returns the position of a complete YouTube channel id.
fn channel_in(word: &str) -> Option<usize> {
    let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = word.as_bytes();
    word.match_indices(CHANNEL_ID_PREFIX).map(|(at, _)| at).find(|at| {
        let id = word.get(*at..*at + CHANNEL_ID_LENGTH);
        id.is_some_and(|id| !id.contains(':'))
            && !is_part(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && !is_part(bytes.get(*at + CHANNEL_ID_LENGTH))
    })
}

fn is_platform(name: &str) -> bool {
    name.to_ascii_lowercase().parse::<Platform>().is_ok()
}

/// True for a UUID, which is no id of a platform.
fn is_uuid(text: &str) -> bool {
    Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// 2026-11-21T22:26:55.123Z.
    const FAILED_AT: i64 = 1_795_300_015_123;

    fn persons_in(value: &Value) -> Vec<String> {
        persons([value], DateTime::from_timestamp_millis(FAILED_AT).unwrap())
    }

    /// Returns the people of a run that got `value` from its host.
    fn persons_answered(value: &Value) -> Vec<String> {
        let text = value.to_string();
        persons_in(&json!([{ "completed": { "ticket": 1, "error": false, "text": text, "body": "" } }]))
    }

    #[test]
    fn persons_include_every_id_in_a_field_for_ids() {
        let input = json!({
            "user": { "id": "4711", "displayName": "Ann" },
            "data": { "gifter_user_id": "47", "recipient_user_id": 48, "text": "471200" },
            "mentionedIds": ["49", "50"],
            "accountId": "0192f0c1-2b3c-7d4e-8f90-123456789012",
            "points": { "twitch:51000": 3, "UCaaaaaaaaaaaaaaaaaaaaaa": 1, "total": 9 },
            "viewer_ids": "53, kick:54,55",
        });
        let recording =
            json!({ "answers": [{ "call": { "error": false, "text": "{\"owner_id\":\"52\"}" } }] });
        assert_eq!(
            persons_in(&json!([input, recording])),
            [
                "47",
                "4711",
                "471200",
                "48",
                "49",
                "50",
                "51000",
                "52",
                "53",
                "54",
                "55",
                "UCaaaaaaaaaaaaaaaaaaaaaa"
            ]
        );
    }

    #[test]
    fn persons_include_every_id_of_a_reply_in_any_field() {
        for value in [
            json!("471100"),
            json!(471_100),
            json!({ "viewer": "471100" }),
            json!({ "winner": "twitch:471100" }),
            json!({ "kept": "{\"viewer\":\"471100\"}" }),
            json!({ "scores": { "471100": 3 } }),
        ] {
            assert_eq!(persons_answered(&value), ["471100"], "{value}");
        }
        assert_eq!(persons_answered(&json!(["471100", "471200"])), ["471100", "471200"]);
        assert_eq!(persons_answered(&json!({ "best": "kick:47" })), ["47"]);
        assert_eq!(persons_answered(&json!("471100 met kick:47, not 4711.")), ["47", "471100"]);
    }

    #[test]
    fn persons_include_every_id_in_a_word_of_a_text() {
        for value in [
            json!({ "said": "thanks 471100" }),
            json!({ "user_id": "not 471100!" }),
            json!("user_471100"),
            json!("points-471100"),
            json!("user471100"),
            json!("seen:471100:3"),
            json!({ "seen_471100": true }),
            json!({ "seen:471100:on": true }),
            json!("0192f0c1-2b3c-7d4e-8f90-123456789012:471100"),
            json!("run_0192f0c1-2b3c-7d4e-8f90-123456789012_471100"),
        ] {
            assert!(
                persons_answered(&value).contains(&"471100".to_owned()),
                "{value}: {:?}",
                persons_answered(&value)
            );
        }
        for ids in ["471100, 471101", "471100,471101", "471100 471101", "471100;471101"] {
            assert_eq!(persons_answered(&json!({ "viewer_ids": ids })), ["471100", "471101"], "{ids}");
        }
        for short in ["kick_47", "kick-47", "Kick47", "seen:kick:47"] {
            assert_eq!(persons_answered(&json!(short)), ["47"], "{short}");
        }
        let channel = "UCa-b_c123456_aaaaaaa-aa";
        for text in ["{}", "seen_{}!", "{}_3", "youtube:{}", "{}-471100", "({},471100)"] {
            let named = persons_answered(&json!(text.replace("{}", channel)));
            assert!(named.contains(&channel.to_owned()), "{text}: {named:?}");
            assert_eq!(named.contains(&"471100".to_owned()), text.contains("471100"), "{text}: {named:?}");
            assert!(!named.contains(&"123456".to_owned()), "a channel is one word: {named:?}");
        }
    }

    #[test]
    fn persons_exclude_numbers_that_are_no_ids() {
        for value in [
            json!({ "count": 12, "name": "Ann", "on": true, "kind": "twitch:raid", "rate": 471_100.5 }),
            json!({ "timeout": 5000, "since": 2024, "paid": 4711, "valid": "4711", "grid": [10_000], "raid": -471_100 }),
            json!({ "at": FAILED_AT, "next": "1795300999999", "key": "last:1795200000000" }),
            json!({ "1795300000000": 1, "4711": 2 }),
            json!("0192f0c1-2b3c-7d4e-8f90-123456789012"),
            json!("lock:0192f0c1-2b3c-7d4e-8f90-123456789012:3"),
            json!("2026-11-21T22:26:55.123456Z"),
        ] {
            assert_eq!(persons_answered(&value), Vec::<String>::new(), "{value}");
        }
        // Long enough, but of another time, or in a field for ids.
        let other = json!({ "n": 1_095_300_000_000_i64, "user_id": FAILED_AT });
        assert_eq!(persons_answered(&other), ["1095300000000".to_owned(), FAILED_AT.to_string()]);
    }

    #[test]
    fn persons_above_the_bound_count_as_anybody() {
        let ids: Vec<String> = (0..=MAX_IDS).map(|id| id.to_string()).collect();
        assert_eq!(persons_in(&json!({ "ids": ids[..MAX_IDS] })).len(), MAX_IDS);
        assert_eq!(persons_in(&json!({ "ids": ids })), [ANYBODY]);
    }
}
