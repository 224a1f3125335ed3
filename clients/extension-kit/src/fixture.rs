//! Fixtures: a trigger, the world around it, and what is expected (reference/extension-kit.md#fixtures).

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use chrono::{DateTime, Utc};
use extension_runtime::local::{Contents, FetchAnswer};
use sandbox::FetchResponse;
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use crate::trigger_input::TriggerInput;

/// Folder of the fixtures of an extension.
pub const FOLDER: &str = "fixtures";
/// Maximum number of fixtures.
const MAX_FIXTURES: usize = 1000;
/// Time of fixtures that name none: 2030-01-01T00:00:00Z.
const DEFAULT_NOW_SECS: i64 = 1_893_456_000;

/// A fixture.
#[derive(Debug, Clone, Deserialize)]
pub struct Fixture {
    /// Trigger.
    #[serde(flatten)]
    trigger: Map<String, Value>,
    /// Settings of the install.
    #[serde(default)]
    pub config: Map<String, Value>,
    /// Secrets of the extension, by name.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    /// Values and rows that are there before.
    #[serde(default)]
    pub store: Contents,
    /// Answers to requests of `ctx.fetch`; any other request fails.
    #[serde(default)]
    fetch: Vec<FetchInput>,
    /// Time of the trigger, at which the clock stands still.
    #[serde(default = "default_now")]
    pub now: DateTime<Utc>,
    /// Expected outcome.
    pub expect: Expectation,
}

/// Expected outcome of a fixture.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expectation {
    /// Effects of all handlers, in their order.
    pub effects: Vec<Value>,
    /// Result of the handler; a list of results when several ran.
    pub result: Option<Value>,
    /// Lines of the log: texts, or objects with `level` and `message`.
    pub logs: Option<Vec<Value>>,
    /// Failure of a handler: `code`, `name`, `message`.
    pub failure: Option<Value>,
    /// Refused actions of results: `code`, `message`.
    pub refused: Vec<Value>,
    /// Values and rows that are there afterwards.
    pub store: Option<Value>,
}

/// Answer to a request.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct FetchInput {
    #[serde(default)]
    method: Option<String>,
    url: Url,
    #[serde(default)]
    response: ResponseInput,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ResponseInput {
    status: Option<u16>,
    headers: BTreeMap<String, String>,
    /// Text, or JSON that is written as a text.
    body: Value,
}

impl Fixture {
    /// Reads a fixture.
    ///
    /// # Errors
    /// A text that is no fixture, with the place of the mistake.
    pub fn parse(text: &[u8]) -> Result<Self> {
        Ok(serde_json::from_slice(text)?)
    }

    /// Returns the trigger.
    ///
    /// # Errors
    /// A key that no fixture has, and a trigger that is missing or wrong.
    pub fn trigger(&self) -> Result<TriggerInput> {
        Ok(serde_json::from_value(Value::Object(self.trigger.clone()))?)
    }

    /// Returns the answers to requests.
    #[must_use]
    pub fn answers(&self) -> Vec<FetchAnswer> {
        self.fetch.iter().cloned().map(FetchInput::answer).collect()
    }
}

impl FetchInput {
    fn answer(self) -> FetchAnswer {
        let ResponseInput { status, headers, body } = self.response;
        let mut headers: Vec<(String, String)> = headers.into_iter().collect();
        let is_named = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let body = match body {
            Value::Null => String::new(),
            Value::String(text) => text,
            json => {
                if !is_named {
                    headers.push(("content-type".to_owned(), "application/json".to_owned()));
                }
                json.to_string()
            }
        };
        let response = FetchResponse {
            status: status.unwrap_or(200),
            headers,
            body: body.into_bytes(),
            ..FetchResponse::default()
        };
        FetchAnswer { method: self.method.map(|method| method.to_uppercase()), url: self.url, response }
    }
}

/// Returns the paths of an extension's fixtures, by name.
///
/// # Errors
/// A folder that is missing or holds none.
pub fn paths(dir: &Path) -> Result<Vec<PathBuf>> {
    let folder = dir.join(FOLDER);
    let listed = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = Vec::new();
    for entry in listed {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    if paths.is_empty() || paths.len() > MAX_FIXTURES {
        bail!("{} holds {} fixtures; 1 to {MAX_FIXTURES} are run", folder.display(), paths.len());
    }
    paths.sort();
    Ok(paths)
}

fn default_now() -> DateTime<Utc> {
    DateTime::from_timestamp(DEFAULT_NOW_SECS, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use extension_runtime::local::Trigger;
    use serde_json::json;

    use super::*;

    #[test]
    fn fixture_reads_trigger_answers_and_expectation() {
        let fixture = Fixture::parse(
            json!({
                "command": "!quote",
                "fetch": [
                    { "url": "https://api.example.com/quote", "response": { "body": { "text": "Stay" } } },
                    { "method": "post", "url": "https://api.example.com/x", "response": { "status": 503 } },
                ],
                "expect": { "effects": [{ "action": "chat:send" }] },
            })
            .to_string()
            .as_bytes(),
        )
        .unwrap();
        let trigger = fixture.trigger().unwrap().trigger(fixture.now).unwrap();
        assert!(matches!(trigger, Trigger::Line(line) if line.message.text == "!quote"));
        let answers = fixture.answers();
        assert_eq!(
            (answers[0].response.status, answers[0].response.body.as_slice()),
            (200, &br#"{"text":"Stay"}"#[..])
        );
        assert_eq!((answers[1].method.as_deref(), answers[1].response.status), (Some("POST"), 503));
        assert_eq!(fixture.now.to_rfc3339(), "2030-01-01T00:00:00+00:00");
    }

    #[test]
    fn fixture_refuses_unknown_keys() {
        let parsed = Fixture::parse(br#"{ "command": "a", "expct": {}, "expect": {} }"#).unwrap();
        assert!(parsed.trigger().unwrap_err().to_string().contains("unknown field `expct`"));
        assert!(
            Fixture::parse(br#"{ "command": "a" }"#)
                .unwrap_err()
                .to_string()
                .contains("missing field `expect`")
        );
        assert!(Fixture::parse(br#"{ "command": "a", "expect": { "effect": [] } }"#).is_err());
    }
}
