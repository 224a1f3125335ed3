//! Claims of actions: one call executes an action, all others return its result.

use std::time::Duration;

use api_core::{ApiError, Result, State, access::SystemReason};
use chrono::{DateTime, SubsecRound, Utc};

use super::{
    ActionErrorCode, ExtensionActionResult, Refusal,
    db::{self, Install},
    request::Action,
};

/// Time for which a call waits for an earlier one.
const WAIT_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longest time of an action: a call without an outcome by then has died.
const MAX_RUN_DURATION: chrono::Duration = chrono::Duration::seconds(60);

/// Result of a claim.
pub(super) enum Claim {
    /// The call executes the action. No other call does, unless the action is repeatable. `since` is the same
    /// for all of them.
    Taken { since: DateTime<Utc> },
    /// The call returns this result.
    Answered(ExtensionActionResult),
}

/// Claims an action. The database decides between concurrent calls. A repeatable action without an outcome is
/// executed again.
pub(super) async fn take(
    state: &State,
    install: &Install,
    invocation_id: &str,
    action: &Action,
) -> Result<Claim> {
    let (since, name) = (state.clock.now().trunc_subsecs(3), action.name());
    let mut connection = state.system(SystemReason::HandlerAction).db().await?;
    if db::begin(&mut connection, install, invocation_id, name, since).await? {
        return Ok(Claim::Taken { since });
    }
    drop(connection);
    let give_up = tokio::time::Instant::now() + WAIT_TIMEOUT;
    loop {
        let stored =
            db::stored(&mut *state.system(SystemReason::HandlerAction).db().await?, install, invocation_id)
                .await?;
        // The row is missing only when it was deleted between the two statements.
        let stored = stored.ok_or_else(|| ApiError::conflict("The action was forgotten meanwhile"))?;
        if stored.action != name {
            let message = format!("this invocation id was used for {}", stored.action);
            return Ok(refused(ActionErrorCode::InvocationMismatch, message));
        }
        if let Some(result) = stored.result {
            return Ok(Claim::Answered(serde_json::from_value(result)?));
        }
        if action.may_be_repeated() {
            return Ok(Claim::Taken { since: stored.created_at });
        }
        if state.clock.now() - stored.created_at > MAX_RUN_DURATION {
            let message = "an earlier call ended without an outcome; the action is not carried out again";
            return Ok(refused(ActionErrorCode::OutcomeUnknown, message));
        }
        if tokio::time::Instant::now() >= give_up {
            return Ok(refused(
                ActionErrorCode::InProgress,
                "the action is being carried out by another call",
            ));
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Stores the outcome.
pub(super) async fn settle(
    state: &State,
    install: &Install,
    invocation_id: &str,
    outcome: &ExtensionActionResult,
) -> Result<()> {
    let result = serde_json::to_value(outcome)?;
    db::finish(&mut *state.system(SystemReason::HandlerAction).db().await?, install, invocation_id, &result)
        .await
}

/// Releases the claim, because this call had no effect.
pub(super) async fn release(state: &State, install: &Install, invocation_id: &str) -> Result<()> {
    db::release(&mut *state.system(SystemReason::HandlerAction).db().await?, install, invocation_id).await
}

fn refused(code: ActionErrorCode, message: impl Into<String>) -> Claim {
    Claim::Answered(Refusal::new(code, message).into())
}
