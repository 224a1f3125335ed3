//! Consequences of attempts (reference/webhooks.md#retries).

use account_model::accounts::{DisabledReason, disable_webhook_endpoints};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use shared::{
    Result,
    id::{AccountId, Trust},
};

use crate::{
    attempt::{Attempt, Outcome},
    backoff::Failures,
    db::{self, Claim, Head, Record, State},
};

/// Consequence of an outcome for the delivery and its endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Status of the delivery.
    status: &'static str,
    /// Failures of the endpoint with this one; `None` when the endpoint does not change, or succeeds.
    failures: Option<Failures>,
    /// Time of the endpoint's next attempt.
    retry_at: Option<DateTime<Utc>>,
    /// True when the endpoint has accepted a delivery in its order.
    has_succeeded: bool,
    /// Reason for which the endpoint is disabled.
    pub disabled: Option<DisabledReason>,
}

impl Verdict {
    /// Tests and replays are tried once, and change nothing of the endpoint. Nor does a delivery that was not sent, or that
    /// an address refused which the endpoint no longer has.
    pub fn of(state: &State, head: &Head, outcome: &Outcome, now: DateTime<Utc>) -> Self {
        let is_delivered = matches!(outcome, Outcome::Delivered(_));
        let ended = Self {
            status: if is_delivered { "delivered" } else { "failed" },
            failures: None,
            retry_at: None,
            has_succeeded: false,
            disabled: None,
        };
        if head.is_immediate || matches!(outcome, Outcome::Unsent(_)) {
            return ended;
        }
        if state.url != head.url {
            return if is_delivered { ended } else { Self { status: "pending", ..ended } };
        }
        if is_delivered {
            return Self { has_succeeded: true, ..ended };
        }
        let former = state.failing_since.map(|since| Failures { count: state.failure_count, since });
        let failures = Failures::after(former, state.last_attempt_at, now);
        let retry_at = failures.retry_at(now);
        let is_gone = matches!(outcome, Outcome::Gone(_));
        let disabled = if !state.is_enabled {
            None
        } else if is_gone {
            Some(DisabledReason::Gone)
        } else {
            failures.is_over(now).then_some(DisabledReason::Failing)
        };
        // Without time for another attempt it has failed now.
        let is_tried_again = !is_gone && retry_at < head.expires_at;
        Self {
            status: if is_tried_again { "pending" } else { "failed" },
            failures: Some(failures),
            retry_at: Some(retry_at),
            has_succeeded: false,
            disabled,
        }
    }

    /// Stores the consequence. The endpoint is locked.
    pub async fn store(
        self,
        connection: &mut AsyncPgConnection,
        claim: &Claim,
        head: &Head,
        attempt: &Attempt,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let (answer, error) = (attempt.outcome.answer(), attempt.outcome.error());
        let record = Record {
            status: self.status,
            status_code: answer.map(|answer| i32::from(answer.status)),
            error: error.as_deref(),
            excerpt: answer.map(|answer| answer.excerpt.as_str()).filter(|excerpt| !excerpt.is_empty()),
            duration_ms: attempt.duration_ms(),
            next_attempt_at: self.retry_at.filter(|_| self.status == "pending"),
        };
        db::record(connection, claim, head.id, &record, now).await?;
        if self.has_succeeded {
            db::succeed(connection, claim, now).await?;
        }
        if let Some((failures, retry_at)) = self.failures.zip(self.retry_at) {
            db::fail(connection, claim, (failures.count, failures.since), retry_at, now).await?;
        }
        match self.disabled {
            Some(reason) => {
                let account = AccountId::trusted(claim.account_id, Trust::Task);
                disable_webhook_endpoints(connection, account, &[claim.endpoint_id], reason, now).await
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;
    use crate::{attempt::Unsent, client::Answer};

    fn head(is_immediate: bool, expires_at: DateTime<Utc>) -> Head {
        Head {
            id: Uuid::nil(),
            event_id: Uuid::nil(),
            event_type: "twitch:raid".into(),
            occurred_at: DateTime::UNIX_EPOCH,
            is_immediate,
            expires_at,
            url: "https://a.example/".into(),
            event_types: vec!["*".into()],
            secret: Vec::new(),
            previous_secret: None,
            traceparent: None,
            tracestate: None,
        }
    }

    fn answered(status: u16) -> Outcome {
        Outcome::of(Ok(Answer { status, excerpt: String::new() }))
    }

    #[test]
    fn verdict_changes_the_endpoint_by_deliveries_in_order_only() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(10);
        let state = State {
            url: "https://a.example/".into(),
            is_enabled: true,
            failure_count: 7,
            failing_since: Some(now - TimeDelta::days(6)),
            last_attempt_at: Some(now - TimeDelta::hours(1)),
        };
        let ordered = head(false, now + TimeDelta::days(1));
        for (outcome, status, disabled) in [
            (answered(200), "delivered", None),
            (answered(500), "pending", Some(DisabledReason::Failing)),
            (answered(410), "failed", Some(DisabledReason::Gone)),
            (Outcome::Unreachable("No".into()), "pending", Some(DisabledReason::Failing)),
            (Outcome::Unsent(Unsent::NotChosen), "failed", None),
        ] {
            let verdict = Verdict::of(&state, &ordered, &outcome, now);
            assert_eq!((verdict.status, verdict.disabled), (status, disabled), "{outcome:?}");
            assert_eq!(verdict.has_succeeded, status == "delivered", "{outcome:?}");
            let immediate = Verdict::of(&state, &head(true, ordered.expires_at), &outcome, now);
            let expected = if status == "delivered" { "delivered" } else { "failed" };
            assert_eq!((immediate.status, immediate.disabled), (expected, None), "{outcome:?}");
            assert!(!immediate.has_succeeded && immediate.failures.is_none(), "{outcome:?}");
        }
        // The eighth delay is 320 s at least.
        let too_late = Verdict::of(&state, &head(false, now + TimeDelta::seconds(319)), &answered(500), now);
        assert_eq!(too_late.status, "failed");
        let disabled = State { is_enabled: false, ..state.clone() };
        assert_eq!(Verdict::of(&disabled, &ordered, &answered(410), now).disabled, None);
        let moved = State { url: "https://b.example/".into(), ..state };
        for (code, status) in [(200, "delivered"), (410, "pending"), (500, "pending")] {
            let verdict = Verdict::of(&moved, &ordered, &answered(code), now);
            assert_eq!((verdict.status, verdict.disabled, verdict.retry_at), (status, None, None), "{code}");
            assert!(!verdict.has_succeeded && verdict.failures.is_none(), "{code}");
        }
    }
}
