//! Refusals that a new token did not fix. A platform also responds with 401 to a missing scope, and would
//! cause a refresh with every call.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// Time for which such a refusal suppresses refreshes. It does not delay a new connection, which makes new
/// tokens.
const REFUSAL_TTL: TimeDelta = TimeDelta::minutes(10);
/// Connections that are remembered. Those beyond it are refreshed again.
const MAX_CONNECTIONS: usize = 10_000;

/// Connections of one process with such a refusal.
#[derive(Default)]
pub struct PersistentRefusals(Mutex<HashMap<Uuid, Refusal>>);

#[derive(Clone, Copy)]
struct Refusal {
    /// Version of the refused token.
    version: i64,
    until: DateTime<Utc>,
}

impl PersistentRefusals {
    /// Records that a token was refused although it was new.
    pub fn note(&self, connection_id: Uuid, version: i64, now: DateTime<Utc>) {
        let mut refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() >= MAX_CONNECTIONS {
            refusals.retain(|_, refusal| refusal.until > now);
        }
        if refusals.len() < MAX_CONNECTIONS {
            refusals.insert(connection_id, Refusal { version, until: now + REFUSAL_TTL });
        }
    }

    /// True when such a refusal of this token was recorded a while ago.
    pub fn knows(&self, connection_id: Uuid, version: i64, now: DateTime<Utc>) -> bool {
        let refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.get(&connection_id).is_some_and(|refusal| refusal.version == version && refusal.until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persistent_refusals_are_kept_per_token_until_their_ttl() {
        let (persistent_refusals, id, now) =
            (PersistentRefusals::default(), Uuid::now_v7(), DateTime::UNIX_EPOCH);
        persistent_refusals.note(id, 3, now);
        assert!(persistent_refusals.knows(id, 3, now + REFUSAL_TTL - TimeDelta::seconds(1)));
        assert!(!persistent_refusals.knows(id, 3, now + REFUSAL_TTL), "for a while");
        assert!(!persistent_refusals.knows(id, 4, now), "other tokens may be taken");
        assert!(!persistent_refusals.knows(Uuid::now_v7(), 3, now));
    }

    #[test]
    fn persistent_refusals_are_bounded() {
        let (persistent_refusals, now) = (PersistentRefusals::default(), DateTime::UNIX_EPOCH);
        for _ in 0..=MAX_CONNECTIONS {
            persistent_refusals.note(Uuid::now_v7(), 0, now);
        }
        let id = Uuid::now_v7();
        persistent_refusals.note(id, 0, now);
        assert!(!persistent_refusals.knows(id, 0, now));
        persistent_refusals.note(id, 0, now + REFUSAL_TTL);
        assert!(persistent_refusals.knows(id, 0, now + REFUSAL_TTL), "what has run out makes room");
    }
}
