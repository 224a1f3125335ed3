//! Gate of one process, for the time that Redis is away.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use moka::sync::Cache;
use uuid::Uuid;

use super::{Admission, BREAKER_COOLDOWN, BREAKER_FAILURES, BREAKER_WINDOW, MINUTE_SECONDS, decide};

/// Maximum number of counted installs; the least used are dropped.
const MAX_INSTALLS: u64 = 10_000;
/// Time after which the counts of an install without invocations are dropped.
const IDLE_TTL: Duration = Duration::from_secs(900);

/// Counts of installs. Cheap to clone.
#[derive(Clone)]
pub struct LocalGate {
    installs: Cache<Uuid, Arc<Mutex<Counts>>>,
}

#[derive(Default)]
struct Counts {
    minute: i64,
    invocations: u32,
    failures: VecDeque<DateTime<Utc>>,
    paused_until: Option<DateTime<Utc>>,
}

impl LocalGate {
    /// Returns a gate without counts.
    pub fn new() -> Self {
        Self { installs: Cache::builder().max_capacity(MAX_INSTALLS).time_to_idle(IDLE_TTL).build() }
    }

    /// Counts an invocation and decides whether it may run: `per_minute` of an install in a minute may.
    pub fn admit(&self, install_id: Uuid, per_minute: u32, now: DateTime<Utc>) -> Admission {
        self.with(install_id, |counts| {
            let minute = now.timestamp().div_euclid(MINUTE_SECONDS);
            if counts.minute != minute {
                (counts.minute, counts.invocations) = (minute, 0);
            }
            let paused = counts.paused_until.is_some_and(|until| now < until);
            if !paused {
                counts.invocations = counts.invocations.saturating_add(1);
            }
            decide(paused, counts.invocations, per_minute, !counts.failures.is_empty())
        })
    }

    /// Resets the failures in a row.
    pub fn succeeded(&self, install_id: Uuid) {
        if let Some(counts) = self.installs.get(&install_id) {
            counts.lock().unwrap_or_else(PoisonError::into_inner).failures.clear();
        }
    }

    /// Counts a failure; true when it is the one that pauses the install's triggers.
    pub fn failed(&self, install_id: Uuid, now: DateTime<Utc>) -> bool {
        self.with(install_id, |counts| {
            counts.failures.push_back(now);
            if counts.failures.len() > BREAKER_FAILURES {
                counts.failures.pop_front();
            }
            let in_window =
                counts.failures.front().is_some_and(|first| now - *first <= delta(BREAKER_WINDOW));
            let opens = counts.failures.len() == BREAKER_FAILURES && in_window;
            if opens {
                counts.failures.clear();
                counts.paused_until = Some(now + delta(BREAKER_COOLDOWN));
            }
            opens
        })
    }

    fn with<T>(&self, install_id: Uuid, change: impl FnOnce(&mut Counts) -> T) -> T {
        let counts = self.installs.get_with(install_id, Arc::default);
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut counts)
    }
}

fn delta(duration: Duration) -> TimeDelta {
    TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSTALL: Uuid = Uuid::from_u128(1);
    const ADMITTED: Admission = Admission::Admitted { recovering: false };

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_040 + seconds, 0).unwrap()
    }

    #[test]
    fn local_gate_refuses_the_301st_invocation_of_a_minute() {
        let gate = LocalGate::new();
        for _ in 0..300 {
            assert_eq!(gate.admit(INSTALL, 300, at(0)), ADMITTED);
        }
        assert_eq!(gate.admit(INSTALL, 300, at(59)), Admission::RateLimited { first: true });
        assert_eq!(gate.admit(INSTALL, 300, at(59)), Admission::RateLimited { first: false });
        assert_eq!(gate.admit(Uuid::from_u128(2), 300, at(59)), ADMITTED);
        assert_eq!(gate.admit(INSTALL, 300, at(60)), ADMITTED);
    }

    #[test]
    fn local_gate_pauses_for_five_minutes_after_twenty_failures() {
        let gate = LocalGate::new();
        for second in 0..19 {
            assert!(!gate.failed(INSTALL, at(second)));
        }
        assert_eq!(gate.admit(INSTALL, 300, at(19)), Admission::Admitted { recovering: true });
        assert!(gate.failed(INSTALL, at(20)));
        assert_eq!(gate.admit(INSTALL, 300, at(21)), Admission::Paused);
        assert_eq!(gate.admit(INSTALL, 300, at(319)), Admission::Paused);
        assert_eq!(gate.admit(INSTALL, 300, at(320)), ADMITTED);
    }

    #[test]
    fn local_gate_does_not_pause_after_a_success_or_slow_failures() {
        let gate = LocalGate::new();
        for second in 0..40 {
            assert!(!gate.failed(INSTALL, at(second)));
            if second % 19 == 18 {
                gate.succeeded(INSTALL);
            }
        }
        let slow = Uuid::from_u128(2);
        for minute in 0..60 {
            assert!(!gate.failed(slow, at(minute * 60)));
        }
    }
}
