//! Readiness of a process: its ability to work now, and the reasons against it
//! (reference/telemetry.md#readiness).

mod findings;
mod postgres;
mod redis;
mod watch;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

pub use watch::{Watch, check_stores};

/// Readiness of a process. Cheap to clone; all clones share the reasons.
#[derive(Debug, Clone, Default)]
pub struct Readiness(Arc<Mutex<BTreeMap<&'static str, Reason>>>);

/// Reason why a process is not ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Subject of the reason: a store, a daemon, `system_key` or `process`.
    pub subject: &'static str,
    /// Kind of the reason.
    pub code: ReasonCode,
    /// Cause in words, for operators only. It may name hosts and users, and never a password.
    pub detail: String,
}

/// Kind of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// Not checked yet.
    Starting,
    /// A store does not reply.
    Unreachable,
    /// A store replies with a refusal: wrong credentials, no such database, no space.
    Refused,
    /// A database lacks migrations of this program.
    SchemaOutdated,
    /// The API does not accept the system key of the workers.
    KeyRefused,
    /// A daemon failed and is started again.
    Failed,
    /// The process is stopping.
    Draining,
}

impl ReasonCode {
    /// Code in responses and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::SchemaOutdated => "schema_outdated",
            Self::KeyRefused => "key_refused",
            Self::Failed => "failed",
            Self::Draining => "draining",
        }
    }
}

/// Subject of reasons about the process itself.
const PROCESS: &str = "process";

impl Readiness {
    /// Sets the reason of a subject. Returns true when it differs from the one before.
    pub fn refuse(&self, subject: &'static str, code: ReasonCode, detail: impl Into<String>) -> bool {
        let reason = Reason { subject, code, detail: detail.into() };
        self.reasons_by_subject().insert(subject, reason.clone()).is_none_or(|before| before != reason)
    }

    /// Removes the reason of a subject and returns it.
    pub fn clear(&self, subject: &str) -> Option<Reason> {
        self.reasons_by_subject().remove(subject)
    }

    /// Records that the process is stopping. This is never undone.
    pub fn drain(&self) {
        self.refuse(PROCESS, ReasonCode::Draining, "the process stops");
    }

    /// True when there is no reason against a subject.
    #[must_use]
    pub fn is_clear(&self, subject: &str) -> bool {
        !self.reasons_by_subject().contains_key(subject)
    }

    /// All reasons. Empty when the process is ready.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason> {
        self.reasons_by_subject().values().cloned().collect()
    }

    fn reasons_by_subject(&self) -> MutexGuard<'_, BTreeMap<&'static str, Reason>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_holds_when_no_reason_is_left() {
        let readiness = Readiness::default();
        assert!(readiness.refuse("postgres", ReasonCode::Starting, "not checked yet"));
        assert!(readiness.refuse("postgres", ReasonCode::Unreachable, "connection refused"));
        assert!(
            !readiness.refuse("postgres", ReasonCode::Unreachable, "connection refused"),
            "the same again"
        );
        assert!(!readiness.is_clear("postgres") && readiness.is_clear("redis"));
        assert_eq!(readiness.clear("postgres").unwrap().code, ReasonCode::Unreachable);
        assert_eq!(readiness.clear("postgres"), None);
        assert!(readiness.reasons().is_empty());
        readiness.drain();
        let json = serde_json::to_value(readiness.reasons()).unwrap();
        assert_eq!(json[0]["code"], ReasonCode::Draining.as_str());
    }
}
