//! Values that templates read. All of them belong to the run's account.

use std::{borrow::Cow, collections::BTreeMap};

use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;
use serde_json::{Map, Value};
use uuid::Uuid;

/// First names of paths (reference/automations.md#templates).
pub const ROOTS: [&str; 8] = ["trigger", "event", "user", "steps", "vars", "account", "stream", "now"];

/// Keys of the trigger that are not looked for in its payload.
const OF_TRIGGER: [&str; 3] = ["node_id", "type", "payload"];

/// Values that templates read.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// Trigger as `{ node_id, type, payload }`.
    pub trigger: &'a Value,
    /// Event.
    pub event: &'a Value,
    /// Person.
    pub user: &'a Value,
    /// Account.
    pub account: &'a Value,
    /// Broadcast.
    pub stream: &'a Value,
    /// Variables of the run.
    pub vars: &'a Map<String, Value>,
    /// Outputs of the steps.
    pub steps: &'a BTreeMap<Uuid, Value>,
    /// Time of the start.
    pub now: DateTime<Utc>,
    /// Time zone of dates.
    pub timezone: Tz,
}

impl<'a> Scope<'a> {
    /// Value at a path; `None` when there is none.
    #[must_use]
    pub fn find(&self, path: &[String]) -> Option<Cow<'a, Value>> {
        let (root, rest) = path.split_first()?;
        let found = match root.as_str() {
            "trigger" => self.of_trigger(rest),
            "event" => of_event(self.event, rest),
            "user" => walk(self.user, rest),
            "account" => walk(self.account, rest),
            "stream" => walk(self.stream, rest),
            "vars" => {
                let (name, rest) = rest.split_first()?;
                walk(self.vars.get(name)?, rest)
            }
            "steps" => {
                let (node, rest) = rest.split_first()?;
                walk(self.steps.get(&Uuid::parse_str(node).ok()?)?, rest)
            }
            "now" if rest.is_empty() => {
                let now = self.now.to_rfc3339_opts(SecondsFormat::Millis, true);
                return Some(Cow::Owned(Value::String(now)));
            }
            _ => None,
        };
        found.map(Cow::Borrowed)
    }

    fn of_trigger(&self, rest: &[String]) -> Option<&'a Value> {
        match rest.first() {
            Some(name) if !OF_TRIGGER.contains(&name.as_str()) => {
                let payload = self.trigger.get("payload")?;
                walk(payload, rest).or_else(|| walk(payload.get("input")?, rest))
            }
            _ => walk(self.trigger, rest),
        }
    }
}

/// Value at a path in an event, else in its `data`.
pub fn of_event<'a>(event: &'a Value, path: &[String]) -> Option<&'a Value> {
    walk(event, path).or_else(|| walk(event.get("data")?, path))
}

fn walk<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, name| match value {
        Value::Object(object) => object.get(name),
        Value::Array(list) => list.get(name.parse::<usize>().ok()?),
        _ => None,
    })
}
