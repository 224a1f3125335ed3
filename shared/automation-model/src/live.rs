//! Events of runs on the channel `automations:{account_id}` (reference/realtime.md#channels).

use chrono::{DateTime, Utc};
use foundation::events::{Channel, Event, id_of_source};
use serde_json::{Value, json};
use shared::clock::rfc3339;
use uuid::Uuid;

/// A run of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOf {
    /// Account.
    pub account_id: Uuid,
    /// Automation.
    pub automation_id: Uuid,
    /// The run.
    pub run_id: Uuid,
}

/// Step that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedStep {
    /// Number in the run.
    pub position: u32,
    /// Node of the step.
    pub node_id: Uuid,
    /// Status.
    pub status: &'static str,
    /// Handle that the run continues at; `None` for `out`.
    pub branch: Option<String>,
    /// Reason of a failure.
    pub error: Option<String>,
    /// Begin.
    pub started_at: DateTime<Utc>,
    /// Length in milliseconds.
    pub duration_ms: Option<i64>,
}

impl RunOf {
    /// Event `automation:run_started`. A repetition for the same run has the same id.
    #[must_use]
    pub fn started(&self, trigger: &Value, is_test: bool, started_at: DateTime<Utc>) -> Event {
        let data = json!({
            "run_id": self.run_id,
            "automation_id": self.automation_id,
            "status": "running",
            "trigger": trigger,
            "is_test": is_test,
            "started_at": rfc3339(started_at),
        });
        self.event("automation:run_started", data, started_at, "started")
    }

    /// Event `automation:node_finished`. A repetition for the same step has the same id.
    #[must_use]
    pub fn node_finished(&self, step: &FinishedStep, now: DateTime<Utc>) -> Event {
        let data = json!({
            "run_id": self.run_id,
            "automation_id": self.automation_id,
            "position": step.position,
            "node_id": step.node_id,
            "status": step.status,
            "branch": step.branch,
            "error": step.error,
            "started_at": rfc3339(step.started_at),
            "duration_ms": step.duration_ms,
        });
        self.event("automation:node_finished", data, now, &format!("step:{}", step.position))
    }

    /// Event `automation:run_finished`. A repetition for the same run has the same id.
    #[must_use]
    pub fn finished(&self, status: &str, error: Option<&str>, finished_at: DateTime<Utc>) -> Event {
        let data = json!({
            "run_id": self.run_id,
            "automation_id": self.automation_id,
            "status": status,
            "error": error,
            "finished_at": rfc3339(finished_at),
        });
        self.event("automation:run_finished", data, finished_at, "finished")
    }

    fn event(&self, event_type: &str, data: Value, now: DateTime<Utc>, what: &str) -> Event {
        let source = format!("automation-run:{}:{what}", self.run_id);
        let event = Event::of_source(Channel::Automations(self.account_id), event_type, data, now, &source);
        // Of the run alone: a repetition may know the time of the event less exactly.
        Event { id: id_of_source(&source, self.created_at()), ..event }
    }

    /// Time in the id of the run.
    fn created_at(&self) -> DateTime<Utc> {
        let (secs, nanos) = self.run_id.get_timestamp().map_or((0, 0), |time| time.to_unix());
        i64::try_from(secs).ok().and_then(|secs| DateTime::from_timestamp(secs, nanos)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use foundation::events::{ChannelEvent, ChannelKind, Payload};

    use super::*;

    const RUN: RunOf =
        RunOf { account_id: Uuid::nil(), automation_id: Uuid::from_u128(1), run_id: Uuid::from_u128(2) };

    fn keys(event: &Event) -> Vec<&str> {
        event.data.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn events_of_runs_have_the_keys_of_the_catalogue() {
        let now = DateTime::UNIX_EPOCH;
        let step = FinishedStep {
            position: 3,
            node_id: Uuid::nil(),
            status: "failed",
            branch: None,
            error: Some("no".to_owned()),
            started_at: now,
            duration_ms: Some(5),
        };
        let events = [
            RUN.started(&json!({ "type": "manual" }), false, now),
            RUN.node_finished(&step, now),
            RUN.finished("failed", Some("no"), now),
        ];
        for event in events {
            let of_type = |known: &&ChannelEvent| known.name == event.event_type;
            let known = ChannelKind::Automations.events().iter().find(of_type).unwrap();
            let Payload::Keys(expected) = known.payload else { panic!("{} has no keys", known.name) };
            let mut expected: Vec<&str> = expected.iter().map(|(key, _)| *key).collect();
            let mut found = keys(&event);
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{}", event.event_type);
            assert_eq!(event.channel, format!("automations:{}", Uuid::nil()));
        }
    }

    #[test]
    fn events_of_the_same_run_have_the_same_id() {
        let now = DateTime::UNIX_EPOCH;
        let later = now + TimeDelta::milliseconds(5);
        assert_eq!(RUN.finished("failed", None, now).id, RUN.finished("failed", None, later).id);
        assert_ne!(RUN.finished("failed", None, now).id, RUN.started(&Value::Null, false, now).id);
    }
}
