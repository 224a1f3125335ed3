//! Readiness: whether a process can do its work now, and the reasons when it cannot (specification E, 22).

mod postgres;
mod redis;
mod watch;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

pub use watch::Watch;

/// Whether a process is ready. Cheap to clone; all clones share the reasons.
#[derive(Debug, Clone, Default)]
pub struct Readiness(Arc<Mutex<BTreeMap<&'static str, Reason>>>);

/// A reason why a process is not ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What the reason is about: a store, a daemon, `system_key` or `process`.
    pub subject: &'static str,
    pub code: ReasonCode,
    /// The cause in words, for operators only: it may name hosts and users, and never a password.
    pub detail: String,
}

/// The kind of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// Not checked yet.
    Starting,
    /// A store does not answer.
    Unreachable,
    /// A store answers and refuses: wrong credentials, no such database, no room.
    Refused,
    /// A database lacks migrations of this program.
    SchemaOutdated,
    /// The API does not accept the system key of the workers.
    KeyRefused,
    /// A daemon failed and is started again.
    Failed,
    /// The process stops.
    Draining,
}

impl ReasonCode {
    /// The code as it is answered and logged.
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

/// The subject of reasons about the process itself.
const PROCESS: &str = "process";

impl Readiness {
    /// Notes a reason; answers whether it is another one than before.
    pub fn refuse(&self, subject: &'static str, code: ReasonCode, detail: impl Into<String>) -> bool {
        let reason = Reason { subject, code, detail: detail.into() };
        self.reasons_by_subject().insert(subject, reason.clone()).is_none_or(|before| before != reason)
    }

    /// Takes the reason about a subject away; answers it.
    pub fn clear(&self, subject: &str) -> Option<Reason> {
        self.reasons_by_subject().remove(subject)
    }

    /// Notes that the process stops, which is never taken back.
    pub fn drain(&self) {
        self.refuse(PROCESS, ReasonCode::Draining, "the process stops");
    }

    /// Whether nothing is known against a subject.
    #[must_use]
    pub fn is_clear(&self, subject: &str) -> bool {
        !self.reasons_by_subject().contains_key(subject)
    }

    /// Every reason; none when the process is ready.
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
    fn a_process_is_ready_when_no_reason_is_left() {
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
