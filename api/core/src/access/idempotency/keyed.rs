//! State of one request with a key, from the check of its rule to its answer ([`super::run`]).

use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use actix_web::{HttpRequest, http::StatusCode};
use chrono::{DateTime, Utc};
use foundation::db::Connection;
use futures::future::BoxFuture;
use shared::secret::Secret;
use uuid::Uuid;

use super::{
    answer::Replay,
    entry::Entry,
    key::{self, Fingerprint},
    transaction::Transaction,
};
use crate::{Result, access::Rule};

/// A request with a key.
pub(crate) struct Keyed {
    pub(super) key: Result<String>,
    pub(super) path: String,
    pub(super) query: String,
    /// Credential of the request, which no stored answer may hold.
    pub(super) presented: Option<Secret>,
    /// Hash of the body with the key; `None` for a body that cannot be read.
    pub(super) fingerprint: OnceLock<Option<Fingerprint>>,
    stage: Mutex<Stage>,
    after_commit: Mutex<Vec<BoxFuture<'static, ()>>>,
    /// Status of the operation, where it is not that of the response.
    pub(super) status: OnceLock<StatusCode>,
    is_ignored: AtomicBool,
    /// Effects that were begun and may have happened.
    effects: AtomicU32,
    is_withheld: AtomicBool,
}

/// Stage of the protocol.
pub(super) enum Stage {
    /// It has not begun, or does not apply.
    Idle,
    /// The operation claims the key later.
    Late(&'static Rule),
    /// The operation runs in a transaction.
    Transaction(Transaction),
    /// The operation runs under a claim.
    Claim(Entry),
    /// The request gets this answer instead of that of the operation.
    Answered(Result<Replay>),
}

impl Keyed {
    /// Reads the key of a request. A malformed one is reported once the rule was checked.
    pub fn of(request: &HttpRequest, presented: Option<Secret>) -> Self {
        Self {
            key: key::key_of(request.headers()),
            path: request.path().to_owned(),
            query: request.query_string().to_owned(),
            presented,
            fingerprint: OnceLock::new(),
            stage: Mutex::new(Stage::Idle),
            after_commit: Mutex::default(),
            status: OnceLock::new(),
            is_ignored: AtomicBool::new(false),
            effects: AtomicU32::new(0),
            is_withheld: AtomicBool::new(false),
        }
    }

    /// Connection of the open transaction; `None` without one.
    ///
    /// # Errors
    /// 500 while another part of the request uses it.
    pub(super) fn pinned<'a>(&self) -> Result<Option<Connection<'a>>> {
        match &*self.stage() {
            Stage::Transaction(transaction) => Ok(Some(transaction.connection.borrow()?)),
            _ => Ok(None),
        }
    }

    /// True while the operation runs in a transaction.
    pub(super) fn is_in_transaction(&self) -> bool {
        matches!(*self.stage(), Stage::Transaction(_))
    }

    /// Keeps an effect until the transaction is committed.
    pub(super) fn postpone(&self, effect: BoxFuture<'static, ()>) {
        self.after_commit.lock().unwrap_or_else(PoisonError::into_inner).push(effect);
    }

    /// Takes the effects that follow the commit.
    pub(super) fn take_postponed(&self) -> Vec<BoxFuture<'static, ()>> {
        std::mem::take(&mut *self.after_commit.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Id and time of the first execution under the claim.
    pub(super) fn effect(&self) -> Option<(Uuid, DateTime<Utc>)> {
        match &*self.stage() {
            Stage::Claim(entry) => Some((entry.id, entry.created_at)),
            _ => None,
        }
    }

    pub(super) fn begin_effect(&self) {
        self.effects.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes one begin back. An earlier effect of the request stays.
    pub(super) fn undo_effect(&self) {
        let fewer = |effects: u32| effects.checked_sub(1);
        let _was_begun = self.effects.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer).is_ok();
    }

    pub(super) fn has_effect(&self) -> bool {
        self.effects.load(Ordering::SeqCst) > 0
    }

    pub(super) fn is_withheld(&self) -> bool {
        self.is_withheld.load(Ordering::SeqCst)
    }

    pub(super) fn withhold(&self) {
        self.is_withheld.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_ignored(&self) -> bool {
        self.is_ignored.load(Ordering::SeqCst)
    }

    pub(super) fn ignore(&self) {
        self.is_ignored.store(true, Ordering::SeqCst);
    }

    pub(super) fn set_body(&self, body: Option<&[u8]>) {
        if let Ok(key) = &self.key {
            self.fingerprint.get_or_init(|| body.map(|body| key::fingerprint(key, &self.query, body)));
        }
    }

    pub(super) fn set_status(&self, status: StatusCode) {
        self.status.get_or_init(|| status);
    }

    /// True before the protocol begins, and where none applies.
    pub(super) fn is_idle(&self) -> bool {
        matches!(*self.stage(), Stage::Idle)
    }

    pub(super) fn set_stage(&self, stage: Stage) {
        *self.stage() = stage;
    }

    pub(super) fn stage(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
