//! Counts of requests, and their refusal when a budget is used up (reference/usage.md#requests).

use std::sync::{Mutex, PoisonError};

use serde_json::json;
use usage_model::{Consumer, Counter, Receipt, Stop, Unit};
use uuid::Uuid;

use crate::{ApiError, Code, State, Timestamp, access::Principal, token::TokenKind};

/// Count of a request of a session. It is made when the membership of its person is found: a token that names an account
/// which the person has left uses nothing of it.
#[derive(Debug, Default)]
pub(crate) struct SessionCount(Mutex<Stage>);

#[derive(Debug, Default)]
enum Stage {
    /// Nothing is counted, as for sockets.
    #[default]
    Closed,
    /// The request counts when its person is a member.
    Open,
    /// It is counted.
    Made(Receipt),
}

impl SessionCount {
    /// Begins a request to the API.
    pub fn open(&self) {
        self.change(Stage::Open);
    }

    /// Counts the request, once, for an account of which the person is a member.
    pub fn make(&self, state: &State, account: Uuid) {
        let mut stage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*stage, Stage::Open) {
            *stage = Stage::Made(state.meter.count(Consumer::account(account), Counter::Requests, 1));
        }
    }

    /// Ends the request and returns the receipt of its count.
    pub fn close(&self) -> Receipt {
        match self.change(Stage::Closed) {
            Stage::Made(receipt) => receipt,
            Stage::Closed | Stage::Open => Receipt::none(),
        }
    }

    fn change(&self, to: Stage) -> Stage {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), to)
    }
}

/// Counts a request of a key, a popout or an extension for its account, and for its key or extension. It is answered
/// only when the count is stored ([`Receipt::stored`]). Requests of sessions have a [`SessionCount`]. Tokens that
/// everybody has who watches a page count nothing, else such a person could use up a budget.
///
/// # Errors
/// 429 for a key or extension whose budget, or that of its account, is used up. Such a request is not counted. Sessions,
/// popouts and tokens of overlays are never refused: people have to reach the budget, and streams go on.
pub(super) fn count(state: &State, principal: &Principal) -> Result<Receipt, ApiError> {
    let Some(consumer) = consumer(principal).filter(|_| is_counted(principal)) else {
        return Ok(Receipt::none());
    };
    if is_stoppable(principal)
        && let Some(stop) = state.stops.find(&consumer, Unit::Requests)
    {
        return Err(refusal(state, &stop));
    }
    Ok(state.meter.count(consumer, Counter::Requests, 1))
}

/// Error of a use whose budget is used up.
#[must_use]
pub fn refusal(state: &State, stop: &Stop) -> ApiError {
    let left = (stop.until - state.clock.now()).num_seconds();
    let details = json!({
        "budget_id": stop.budget_id, "unit": stop.unit.as_str(), "resets_at": Timestamp::from(stop.until),
    });
    ApiError::new(Code::RateLimitExceeded, "Usage budget reached")
        .with_details(details)
        .with_retry_after(u64::try_from(left).unwrap_or(0).max(1))
}

/// Account, key and extension of a credential; `None` without an account.
#[must_use]
pub fn consumer(principal: &Principal) -> Option<Consumer> {
    let account = principal.account()?.uuid();
    Some(match principal {
        Principal::PersonalKey { id, .. } | Principal::ServiceKey { id, .. } => Consumer::key(account, *id),
        Principal::Surface { kind: TokenKind::Extension, subject, .. } => match Uuid::try_parse(subject) {
            Ok(install) => Consumer::install(account, install),
            Err(_other) => Consumer::account(account),
        },
        _ => Consumer::account(account),
    })
}

fn is_counted(principal: &Principal) -> bool {
    matches!(principal, Principal::Popout { .. }) || (is_stoppable(principal) && !principal.is_of_page())
}

const fn is_stoppable(principal: &Principal) -> bool {
    matches!(
        principal,
        Principal::PersonalKey { .. }
            | Principal::ServiceKey { .. }
            | Principal::Surface { kind: TokenKind::Extension, .. }
    )
}
