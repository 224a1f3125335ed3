//! Requests with an `Idempotency-Key`: a repeated one has no second effect and gets the first answer
//! (reference/conventions.md#idempotency).
//!
//! The check of the rule begins the protocol ([`Cx::authorize`]): there the rights are known, and nothing was validated
//! or changed. The layer [`crate::http::idempotency`] ends it with the status and the answer.

mod answer;
mod claim;
mod db;
mod disposition;
mod effect;
mod entry;
mod key;
mod keyed;
mod known;
mod limits;
mod outcome;
mod protocol;
mod run;
mod transaction;

use std::sync::Arc;

use actix_web::http::StatusCode;
use chrono::{DateTime, Utc};
use foundation::db::Connection;
use uuid::Uuid;

pub(crate) use answer::Given;
pub use effect::TransactionEffect;
pub(crate) use key::KEY_HEADER;
pub use key::key_of;
pub(crate) use keyed::Keyed;
pub(crate) use protocol::MAX_RUN_SECS;
pub use protocol::{Answer, Idempotency};

use super::{cx::Cx, rule::Rule};
use crate::Result;

impl Cx {
    /// Begins the protocol of a rule that was checked. Without a key it does nothing.
    ///
    /// # Errors
    /// 400 for a malformed key; 409 for one that is known; 429 beyond the limit of keys.
    pub(super) async fn begin_idempotent(&self, rule: &'static Rule) -> Result<()> {
        match (self.keyed(), rule.idempotency) {
            // Boxed, so that requests without a key pay nothing for the size of the future.
            (Some(keyed), Some(protocol)) => Box::pin(keyed.begin(self, rule, protocol)).await,
            _ => Ok(()),
        }
    }

    /// Connection of a caller: that of the open transaction, else one of the pool.
    pub(super) async fn primary(&self) -> Result<Connection<'_>> {
        if let Some(keyed) = self.keyed()
            && let Some(pinned) = keyed.pinned()?
        {
            return Ok(pinned);
        }
        self.state().databases.primary().await
    }

    /// Runs an effect that must follow the commit, such as an announcement. It runs immediately, or after the end of the
    /// transaction that an `Idempotency-Key` opened around the operation, unless that is rolled back.
    pub async fn after_commit(&self, effect: impl Future<Output = ()> + Send + 'static) {
        match self.keyed().filter(|keyed| keyed.is_in_transaction()) {
            Some(keyed) => keyed.postpone(Box::pin(effect)),
            None => effect.await,
        }
    }

    /// Records that an effect outside of the primary database begins. From then on every answer is final for the
    /// `Idempotency-Key` of the request, also a refusal: another execution could repeat the effect.
    pub fn begin_effect(&self) {
        if let Some(keyed) = self.keyed() {
            keyed.begin_effect();
        }
    }

    /// Records that the effect which was begun last certainly did not happen.
    pub fn undo_effect(&self) {
        if let Some(keyed) = self.keyed() {
            keyed.undo_effect();
        }
    }

    /// Records the same for an outcome that is a refusal: whoever refuses, or rolls back, has changed nothing.
    pub fn undo_effect_if_refused<T>(&self, outcome: &Result<T>) {
        if outcome.as_ref().is_err_and(|refusal| !refusal.code.status().is_server_error()) {
            self.undo_effect();
        }
    }

    /// Begins an effect that is one transaction of the primary database. Declare it before the transaction, and
    /// [`TransactionEffect::complete`] it at its end.
    pub fn begin_transaction_effect(&self) -> TransactionEffect {
        TransactionEffect::begin(self.keyed().cloned())
    }

    /// Id of the effect of the request. A repeatable operation with an `Idempotency-Key` gets the same at each execution.
    #[must_use]
    pub fn effect_id(&self) -> Uuid {
        self.keyed().and_then(|keyed| keyed.effect()).map_or_else(shared::id::new, |(id, _)| id)
    }

    /// Time of the effect of the request, as [`Cx::effect_id`].
    #[must_use]
    pub fn effect_time(&self) -> DateTime<Utc> {
        let effect = self.keyed().and_then(|keyed| keyed.effect());
        effect.map_or_else(|| self.state().clock.now(), |(_, began_at)| began_at)
    }

    /// Claims the `Idempotency-Key` of a request whose form was read. `content` is what a repetition sends again.
    ///
    /// # Errors
    /// 409 for a key that is known; 429 beyond the limit of keys.
    pub async fn claim(&self, content: &[&str]) -> Result<()> {
        match self.keyed() {
            Some(keyed) => Box::pin(keyed.claim_late(self, content)).await,
            None => Ok(()),
        }
    }

    /// Makes a successful answer not count as one for the `Idempotency-Key`, if no effect was begun: it reports a failure
    /// of the server.
    pub fn withhold_answer(&self) {
        if let Some(keyed) = self.keyed() {
            keyed.withhold();
        }
    }

    /// True for a request with an `Idempotency-Key`.
    #[must_use]
    pub fn has_idempotency_key(&self) -> bool {
        self.keyed().is_some()
    }

    /// Ignores the key of a request that has no effect.
    pub fn ignore_idempotency_key(&self) {
        if let Some(keyed) = self.keyed() {
            keyed.ignore();
        }
    }

    /// Records the body of a request with a key; `None` for one that cannot be read.
    pub fn record_body(&self, body: Option<&[u8]>) {
        if let Some(keyed) = self.keyed() {
            keyed.set_body(body);
        }
    }

    /// Reports the status of the operation where it is not that of the response, as in GraphQL.
    pub fn report_status(&self, status: StatusCode) {
        if let Some(keyed) = self.keyed() {
            keyed.set_status(status);
        }
    }

    pub(super) fn keyed(&self) -> Option<&Arc<Keyed>> {
        self.keyed_slot().get()
    }

    /// Makes the request one with a key.
    pub(crate) fn arm(&self, keyed: Keyed) -> Arc<Keyed> {
        Arc::clone(self.keyed_slot().get_or_init(|| Arc::new(keyed)))
    }
}
