//! Claims of actions: one call executes an action, all others return its result.

use api_core::{Result, State, access::SystemReason};
use chrono::{DateTime, SubsecRound, Utc};
use extension_model::actions::Action;

use super::{
    ActionErrorCode, ExtensionActionResult, Refusal,
    db::{self, Install, StoredAction},
    outcome::{MAX_RUN_DURATION, OutcomeWait, until_written},
};

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
    let mut wait = OutcomeWait::begin();
    loop {
        let (since, name) = (state.clock.now().trunc_subsecs(3), action.name());
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        if db::begin(&mut connection, install, invocation_id, name, since).await? {
            return Ok(Claim::Taken { since });
        }
        let stored = db::stored(&mut connection, install, invocation_id).await?;
        drop(connection);
        // Without a row the other call has released the claim, and the next round may take it.
        if let Some(stored) = stored
            && let Some(claim) = answer(state, stored, action)?
        {
            return Ok(claim);
        }
        if !wait.pause().await {
            let message = "the action is being carried out by another call";
            return Ok(refused(ActionErrorCode::InProgress, message));
        }
    }
}

/// Answer to a repeated call; `None` while the earlier one may still end.
fn answer(state: &State, stored: StoredAction, action: &Action) -> Result<Option<Claim>> {
    if stored.action != action.name() {
        let message = format!("this invocation id was used for {}", stored.action);
        return Ok(Some(refused(ActionErrorCode::InvocationMismatch, message)));
    }
    if let Some(result) = stored.result {
        return Ok(Some(Claim::Answered(serde_json::from_value(result)?)));
    }
    if action.may_be_repeated() {
        return Ok(Some(Claim::Taken { since: stored.created_at }));
    }
    let is_lost = state.clock.now() - stored.created_at > MAX_RUN_DURATION;
    let message = "an earlier call ended without an outcome; the action is not carried out again";
    Ok(is_lost.then(|| refused(ActionErrorCode::OutcomeUnknown, message)))
}

/// Stores the outcome.
pub(super) async fn settle(
    state: &State,
    install: &Install,
    invocation_id: &str,
    outcome: &ExtensionActionResult,
) -> Result<()> {
    let result = serde_json::to_value(outcome)?;
    until_written(async || {
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        db::finish(&mut connection, install, invocation_id, &result).await
    })
    .await
}

/// Releases the claim, because this call had no effect.
pub(super) async fn release(state: &State, install: &Install, invocation_id: &str) -> Result<()> {
    until_written(async || {
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        db::release(&mut connection, install, invocation_id).await
    })
    .await
}

fn refused(code: ActionErrorCode, message: impl Into<String>) -> Claim {
    Claim::Answered(Refusal::new(code, message).into())
}
