//! Open sockets and their holders.

use std::sync::Arc;

use api_core::access::Principal;
use chrono::{DateTime, Utc};
use dashmap::DashMap;
use uuid::Uuid;

use crate::{
    quota::Quota,
    socket::{Signal, Socket},
};

/// An open socket.
#[derive(Clone)]
pub struct Open {
    /// The socket.
    pub socket: Arc<Socket>,
    /// Caller that opened it.
    pub principal: Principal,
    /// Quota that it counts against; `None` for system keys.
    pub quota: Option<Quota>,
    /// End of a socket that a signed token opened; `None` for others (reference/realtime.md#limits).
    pub ends_at: Option<DateTime<Utc>>,
}

/// The open sockets of a process.
#[derive(Default)]
pub struct OpenSockets {
    by_id: DashMap<Uuid, Open>,
}

impl OpenSockets {
    /// Number of open sockets.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Adds a socket.
    pub fn add(&self, open: Open) {
        self.by_id.insert(open.socket.id(), open);
    }

    /// Removes a socket.
    pub fn remove(&self, id: Uuid) {
        self.by_id.remove(&id);
    }

    /// Number of sockets of this process that count against a quota.
    pub fn count(&self, quota: &Quota) -> usize {
        let counts = |open: &Open| open.quota.as_ref().is_some_and(|other| other.holder == quota.holder);
        self.by_id.iter().filter(|open| counts(open)).count()
    }

    /// Sockets that meet a condition.
    pub fn select(&self, concerned: impl Fn(&Open) -> bool) -> Vec<Open> {
        self.by_id.iter().filter(|open| concerned(open)).map(|open| open.clone()).collect()
    }

    /// Signals sockets that meet a condition.
    pub fn signal(&self, signal: Signal, concerned: impl Fn(&Open) -> bool) {
        self.by_id.iter().filter(|open| concerned(open)).for_each(|open| open.socket.signal(signal));
    }

    /// Signals every socket.
    pub fn signal_all(&self, signal: Signal) {
        self.signal(signal, |_| true);
    }
}
