//! Protocol of a request with a key (reference/conventions.md#idempotency).

use actix_web::{HttpResponse, ResponseError};

use super::{
    answer::{Given, NewAnswer, Text},
    claim::{self, Claimed},
    disposition::{ClaimEnd, Disposition, Effect},
    entry::Entry,
    key::{self, Fingerprint},
    keyed::{Keyed, Stage},
    known::Known,
    limits,
    outcome::Outcome,
    protocol::{Answer, Idempotency},
    transaction::{self, Begun, Transaction},
};
use crate::{ApiError, Cx, Result, access::Rule};

impl Keyed {
    /// Begins the protocol of an operation.
    pub(super) async fn begin(&self, cx: &Cx, rule: &'static Rule, protocol: Idempotency) -> Result<()> {
        let is_exempt = matches!(protocol, Idempotency::Exempt(_));
        if is_exempt || self.is_ignored() || !self.is_idle() {
            return Ok(());
        }
        let key = self.key.as_ref().map_err(ApiError::clone)?;
        let fingerprint = *self.fingerprint.get_or_init(|| Some(key::fingerprint(key, &self.query, b"")));
        // The operation refuses an unreadable body.
        let Some(fingerprint) = fingerprint else { return Ok(()) };
        match (protocol, self.entry(cx, rule, key, fingerprint)) {
            (Idempotency::Exempt(_), _) | (_, None) => Ok(()),
            (Idempotency::LateClaim, Some(_)) => {
                self.set_stage(Stage::Late(rule));
                Ok(())
            }
            (Idempotency::Claim { .. }, Some(entry)) => self.claim(cx, entry).await,
            (Idempotency::Transaction, Some(entry)) => self.open(cx, entry).await,
        }
    }

    /// Claims the key once a form was read.
    pub(super) async fn claim_late(&self, cx: &Cx, content: &[&str]) -> Result<()> {
        let Stage::Late(rule) = *self.stage() else { return Ok(()) };
        let key = self.key.as_ref().map_err(ApiError::clone)?;
        // The boundaries of a form differ between repetitions, so the bytes of the body are no fingerprint.
        let content = serde_json::to_vec(content)?;
        let fingerprint = key::fingerprint(key, &self.query, &content);
        match self.entry(cx, rule, key, fingerprint) {
            Some(entry) => self.claim(cx, entry).await,
            None => Ok(()),
        }
    }

    /// Entry of the request; `None` without a caller.
    fn entry(&self, cx: &Cx, rule: &'static Rule, key: &str, fingerprint: Fingerprint) -> Option<Entry> {
        let holder = key::holder(cx.principal(), rule.needs)?;
        let request = key::request_id(&holder, &self.path, key);
        Some(Entry::new(cx.principal(), cx.state().clock.now(), rule, (request, fingerprint)))
    }

    async fn claim(&self, cx: &Cx, entry: Entry) -> Result<()> {
        let state = cx.state();
        let claimed = match claim::find(state, &entry).await? {
            Some(found) => claim::decide(state, entry, &found).await?,
            None => {
                limits::take_key(cx).await?;
                claim::take(state, entry).await?
            }
        };
        match claimed {
            Claimed::Taken(entry) => {
                self.set_stage(Stage::Claim(entry));
                Ok(())
            }
            Claimed::Known(known) => Err(self.answer_with(cx, known)),
        }
    }

    /// Opens the transaction. A first search holds no connection afterwards: known keys need none that is kept, and the
    /// counts of the limits, which may come from Redis, are awaited without one.
    async fn open(&self, cx: &Cx, entry: Entry) -> Result<()> {
        let begun = match claim::find(cx.state(), &entry).await? {
            Some(found) => Begun::Known(found),
            None => {
                limits::take_key(cx).await?;
                limits::prepare_answer(cx).await;
                transaction::begin(cx.state(), &entry).await?
            }
        };
        match begun {
            Begun::New(connection) => {
                self.set_stage(Stage::Transaction(Transaction { entry, connection }));
                Ok(())
            }
            Begun::Known(found) => {
                let known = Known::of(&cx.state().keyring, &found, &entry)?;
                Err(self.answer_with(cx, known))
            }
            Begun::Busy => Err(self.answer_with(cx, Known::Running)),
        }
    }

    /// Replaces the answer of the operation, and returns the error that ends it.
    fn answer_with(&self, cx: &Cx, known: Known) -> ApiError {
        known.outcome().count(cx.state());
        self.set_stage(Stage::Answered(known.reply()));
        answered()
    }

    /// Ends the protocol with the answer of the operation. Returns the answer that is sent instead, if any.
    ///
    /// # Errors
    /// 500 when what the operation wrote is not committed, or may not be.
    pub async fn end(&self, cx: &Cx, given: &Given<'_>) -> Result<Option<HttpResponse>> {
        let stage = std::mem::replace(&mut *self.stage(), Stage::Idle);
        match stage {
            Stage::Answered(Ok(replay)) => return Ok(Some(replay.respond())),
            Stage::Answered(Err(refusal)) => return Ok(Some(refusal.error_response())),
            Stage::Transaction(transaction) => self.end_transaction(cx, transaction, given).await?,
            Stage::Claim(entry) => self.end_claim(cx, &entry, given).await,
            Stage::Idle | Stage::Late(_) => {}
        }
        Ok(None)
    }

    async fn end_transaction(&self, cx: &Cx, transaction: Transaction, given: &Given<'_>) -> Result<()> {
        use transaction::Ending;

        let entry = &transaction.entry;
        let (ending, outcome) = match self.disposition(given) {
            Disposition::Success => {
                (Ending::Commit(self.answer(cx, entry, given, true).await?), Outcome::Executed)
            }
            Disposition::Refusal => {
                (Ending::CommitRefusal(self.answer(cx, entry, given, false).await?), Outcome::Executed)
            }
            Disposition::Unstored => (Ending::CommitUnstored, Outcome::Unstored),
            Disposition::Failure => (Ending::RollBack, Outcome::Unstored),
        };
        if transaction.end(ending).await? {
            for effect in self.take_postponed() {
                effect.await;
            }
        }
        outcome.count(cx.state());
        Ok(())
    }

    /// Ends a claim. The answer is sent also when it cannot be stored: the effect has happened.
    async fn end_claim(&self, cx: &Cx, entry: &Entry, given: &Given<'_>) {
        let ending = match self.claim_ending(cx, entry, given).await {
            Ok(ending) => ending,
            Err(error) => {
                return tracing::error!(%error, operation = entry.rule.name, "an answer cannot be stored");
            }
        };
        let outcome = match ending {
            claim::Ending::Store(_) => Outcome::Executed,
            claim::Ending::Release | claim::Ending::Reopen => Outcome::Unstored,
        };
        match claim::end(cx.state(), entry, &ending).await {
            Ok(()) => outcome.count(cx.state()),
            Err(error) => tracing::error!(%error, operation = entry.rule.name, "an answer was not stored"),
        }
    }

    async fn claim_ending(&self, cx: &Cx, entry: &Entry, given: &Given<'_>) -> Result<claim::Ending> {
        use claim::Ending;

        let effect = Effect {
            is_begun: self.has_effect(),
            is_repeatable: entry.rule.idempotency.is_some_and(Idempotency::is_repeatable),
            is_withheld: self.is_withheld(),
        };
        let disposition = self.disposition(given);
        let is_success = disposition == Disposition::Success;
        if is_success && !effect.is_begun && !effect.is_withheld && !effect.is_repeatable {
            tracing::debug!(
                operation = entry.rule.name,
                "an operation succeeded without the begin of an effect"
            );
            Outcome::Effectless.count(cx.state());
        }
        // A refusal after an effect may hold what the operation produced, such as the text of a handler.
        let is_produced = is_success || disposition == Disposition::Unstored;
        Ok(match disposition.claim_end(effect) {
            ClaimEnd::Store => Ending::Store(self.answer(cx, entry, given, is_produced).await?),
            ClaimEnd::Release => Ending::Release,
            ClaimEnd::Reopen => Ending::Reopen,
        })
    }

    fn disposition(&self, given: &Given<'_>) -> Disposition {
        Disposition::of(self.status.get().copied().unwrap_or(given.status))
    }

    /// Answer as it is stored.
    async fn answer(
        &self,
        cx: &Cx,
        entry: &Entry,
        given: &Given<'_>,
        is_produced: bool,
    ) -> Result<NewAnswer> {
        let form = entry.rule.answer;
        let text = match form {
            Answer::Secret if is_produced => None,
            Answer::Kept | Answer::Secret | Answer::Sealed => self.text(cx, entry, given).await,
        };
        NewAnswer::of(&cx.state().keyring, entry.id, (given, is_produced), text, form)
    }

    async fn text(&self, cx: &Cx, entry: &Entry, given: &Given<'_>) -> Option<String> {
        match Text::of(given, self.presented.as_ref()) {
            Text::Whole(text) => limits::take_answer(cx, text.len()).await.then_some(text),
            Text::Unfit => None,
            Text::Credential => {
                tracing::error!(
                    operation = entry.rule.name,
                    "an answer holds a credential and is not stored"
                );
                Outcome::Withheld.count(cx.state());
                None
            }
        }
    }
}

/// Error by which an operation ends whose answer is replaced.
fn answered() -> ApiError {
    ApiError::conflict("The request was answered before")
}
