//! System key of the calls to the API, and the pauses while the API does not accept it: one call in each
//! pause tries again, the others fail immediately and are not logged
//! (reference/telemetry.md#feed-of-the-runtime).

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use foundation::readiness::{Readiness, ReasonCode};
use shared::{config::SystemKey, secret::Secret};

use super::api_failure::ApiFailure;

/// Pause after the first refusal of the key.
const INITIAL_BACKOFF: Duration = Duration::from_secs(1);
/// Maximum pause after a refusal of the key.
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// Name of the key in readiness.
pub const SUBJECT: &str = "system_key";

/// Key of a process. Cheap to clone.
#[derive(Clone)]
pub struct Credential(Arc<Parts>);

struct Parts {
    source: SystemKey,
    readiness: Readiness,
    state: Mutex<State>,
}

struct State {
    key: Secret,
    /// Number of refusals in a row; concurrent calls count once.
    refusals: u32,
    /// Time of the next attempt while the key is refused.
    retry_at: Option<Instant>,
}

/// Call that carries the key.
pub struct Attempt {
    /// Key to send.
    pub key: Secret,
    /// Number of refusals before it: the result of a call that began before the last refusal is outdated.
    refusals: u32,
}

impl Credential {
    /// Reads the key.
    ///
    /// # Errors
    /// An unreadable key file.
    pub fn open(source: SystemKey, readiness: Readiness) -> shared::Result<Self> {
        let state = State { key: source.read()?, refusals: 0, retry_at: None };
        // Findings of an earlier run of the daemon do not apply to this one.
        readiness.clear(SUBJECT);
        Ok(Self(Arc::new(Parts { source, readiness, state: Mutex::new(state) })))
    }

    /// Returns the key for a call.
    ///
    /// # Errors
    /// `KeyRefused` while the API does not accept it and no attempt is due.
    pub fn attempt(&self) -> Result<Attempt, ApiFailure> {
        let (mut state, now) = (self.state(), Instant::now());
        if let Some(at) = state.retry_at {
            if now < at {
                return Err(ApiFailure::KeyRefused);
            }
            state.retry_at = Some(now + pause(state.refusals));
            // A key in a file may have been replaced.
            if let Ok(key) = self.0.source.read() {
                state.key = key;
            }
        }
        Ok(Attempt { key: state.key.clone(), refusals: state.refusals })
    }

    /// Records a refusal, and logs it once for each attempt.
    pub fn refused(&self, attempt: &Attempt, status: u16, problem: &str) {
        let mut state = self.state();
        if attempt.refusals != state.refusals {
            return;
        }
        state.refusals = state.refusals.saturating_add(1);
        let pause = pause(state.refusals);
        state.retry_at = Some(Instant::now() + pause);
        drop(state);
        let detail =
            "the API does not accept the system key; make one with `lumio-api admin create-system-key`";
        self.0.readiness.refuse(SUBJECT, ReasonCode::KeyRefused, detail);
        tracing::error!(status, problem, next_try_secs = pause.as_secs(), "{detail}");
    }

    /// Records that the API accepted the key.
    pub fn accepted(&self, attempt: &Attempt) {
        if attempt.refusals == 0 {
            return;
        }
        let mut state = self.state();
        if attempt.refusals != state.refusals {
            return;
        }
        (state.refusals, state.retry_at) = (0, None);
        drop(state);
        self.0.readiness.clear(SUBJECT);
        tracing::info!("the API accepts the system key again");
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pause(refusals: u32) -> Duration {
    INITIAL_BACKOFF.saturating_mul(1 << refusals.saturating_sub(1).min(10)).min(MAX_BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(readiness: &Readiness) -> Credential {
        Credential::open(SystemKey::Given(Secret::new("key")), readiness.clone()).unwrap()
    }

    #[test]
    fn system_key_counts_concurrent_refusals_once_and_fails_the_next_call() {
        let readiness = Readiness::default();
        let credential = credential(&readiness);
        let together: Vec<Attempt> = (0..5).map(|_| credential.attempt().unwrap()).collect();
        for attempt in &together {
            credential.refused(attempt, 401, "Invalid or expired token");
        }
        assert_eq!(credential.state().refusals, 1);
        assert!(matches!(credential.attempt(), Err(ApiFailure::KeyRefused)));
        assert_eq!(readiness.reasons()[0].code, ReasonCode::KeyRefused);
        // One that had begun before proves nothing.
        credential.accepted(&together[0]);
        assert!(!readiness.is_clear(SUBJECT));
    }

    #[test]
    fn system_key_retries_with_one_call_whose_success_ends_the_pauses() {
        let readiness = Readiness::default();
        let credential = credential(&readiness);
        credential.refused(&credential.attempt().unwrap(), 401, "");
        credential.state().retry_at = Some(Instant::now());
        let attempt = credential.attempt().unwrap();
        assert!(matches!(credential.attempt(), Err(ApiFailure::KeyRefused)), "only one at a time");
        credential.refused(&attempt, 401, "");
        assert_eq!(credential.state().refusals, 2);
        credential.state().retry_at = Some(Instant::now());
        let attempt = credential.attempt().unwrap();
        credential.accepted(&attempt);
        assert!(credential.attempt().is_ok() && readiness.is_clear(SUBJECT));
        assert_eq!(credential.state().refusals, 0);
    }

    #[test]
    fn system_key_pauses_grow_up_to_a_minute() {
        let pauses = [1, 2, 3, 6, 7, 8, u32::MAX].map(|refusals| pause(refusals).as_secs());
        assert_eq!(pauses, [1, 2, 4, 32, 60, 60, 60]);
    }
}
