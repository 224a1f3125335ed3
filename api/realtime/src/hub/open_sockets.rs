//! Every open socket and whose it is.

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
    pub socket: Arc<Socket>,
    pub principal: Principal,
    pub quota: Option<Quota>,
    /// When a socket that a signed token opened must end (C §11.4).
    pub ends_at: Option<DateTime<Utc>>,
}

/// The open sockets of a process.
#[derive(Default)]
pub struct OpenSockets {
    by_id: DashMap<Uuid, Open>,
}

impl OpenSockets {
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn add(&self, open: Open) {
        self.by_id.insert(open.socket.id(), open);
    }

    pub fn remove(&self, id: Uuid) {
        self.by_id.remove(&id);
    }

    /// How many this process holds of a quota.
    pub fn count(&self, quota: &Quota) -> usize {
        self.by_id.iter().filter(|open| open.quota.as_ref() == Some(quota)).count()
    }

    /// Those that a condition holds for.
    pub fn select(&self, concerned: impl Fn(&Open) -> bool) -> Vec<Open> {
        self.by_id.iter().filter(|open| concerned(open)).map(|open| open.clone()).collect()
    }

    /// Signals those that a condition holds for.
    pub fn signal(&self, signal: Signal, concerned: impl Fn(&Open) -> bool) {
        self.by_id.iter().filter(|open| concerned(open)).for_each(|open| open.socket.signal(signal));
    }

    pub fn signal_all(&self, signal: Signal) {
        self.signal(signal, |_| true);
    }
}
