//! Refusals that a new token did not mend: a platform answers 401 also for a scope that is missing, and would let us
//! refresh with every call.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// How long such a refusal is believed. Whoever connects anew is not held up: that makes new tokens.
const REMEMBERED: TimeDelta = TimeDelta::minutes(10);
/// Connections that are remembered; more are refreshed again.
const MAX_CONNECTIONS: usize = 10_000;

/// The connections of one process that this happened to.
#[derive(Default)]
pub struct Unmended(Mutex<HashMap<Uuid, Refusal>>);

#[derive(Clone, Copy)]
struct Refusal {
    /// Of the token that was refused.
    version: i64,
    until: DateTime<Utc>,
}

impl Unmended {
    /// Notes that a token was refused although it was new.
    pub fn note(&self, connection_id: Uuid, version: i64, now: DateTime<Utc>) {
        let mut refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() >= MAX_CONNECTIONS {
            refusals.retain(|_, refusal| refusal.until > now);
        }
        if refusals.len() < MAX_CONNECTIONS {
            refusals.insert(connection_id, Refusal { version, until: now + REMEMBERED });
        }
    }

    /// Whether it was noted of this token a while ago.
    pub fn knows(&self, connection_id: Uuid, version: i64, now: DateTime<Utc>) -> bool {
        let refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.get(&connection_id).is_some_and(|refusal| refusal.version == version && refusal.until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_remembered_for_its_token_and_a_while() {
        let (unmended, id, now) = (Unmended::default(), Uuid::now_v7(), DateTime::UNIX_EPOCH);
        unmended.note(id, 3, now);
        assert!(unmended.knows(id, 3, now + REMEMBERED - TimeDelta::seconds(1)));
        assert!(!unmended.knows(id, 3, now + REMEMBERED), "for a while");
        assert!(!unmended.knows(id, 4, now), "other tokens may be taken");
        assert!(!unmended.knows(Uuid::now_v7(), 3, now));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (unmended, now) = (Unmended::default(), DateTime::UNIX_EPOCH);
        for _ in 0..=MAX_CONNECTIONS {
            unmended.note(Uuid::now_v7(), 0, now);
        }
        let id = Uuid::now_v7();
        unmended.note(id, 0, now);
        assert!(!unmended.knows(id, 0, now));
        unmended.note(id, 0, now + REMEMBERED);
        assert!(unmended.knows(id, 0, now + REMEMBERED), "what has run out makes room");
    }
}
