//! Claims of steps: one call executes the action of a step, all others return its outcome.

use api_core::{ApiError, Result, State, access::SystemReason};

use super::{
    super::outcome::{MAX_RUN_DURATION, OutcomeWait, until_written},
    AutomationActionInput, AutomationActionResult, Failure,
    db::{self, StepRun, StoredStep},
};

/// Result of a claim.
pub(super) enum Claim {
    /// The call executes the action. No other call does.
    Taken(StepRun),
    /// The call returns this result.
    Answered(AutomationActionResult),
}

/// Claims the action of a step. The database decides between concurrent calls.
///
/// # Errors
/// 404 when the account has no such step; 409 when it ended without a claim; 500 when the database fails.
pub(super) async fn take(state: &State, input: &AutomationActionInput) -> Result<Claim> {
    let mut wait = OutcomeWait::begin();
    loop {
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        if let Some(run) = db::claim(&mut connection, input, state.clock.now()).await? {
            return Ok(Claim::Taken(run));
        }
        let stored = db::stored(&mut connection, input).await?;
        drop(connection);
        let stored = stored.ok_or_else(|| ApiError::not_found("Automation step not found"))?;
        if let Some(claim) = answer(state, stored)? {
            return Ok(claim);
        }
        if !wait.pause().await {
            return Ok(unknown("The action is being executed by another call"));
        }
    }
}

/// Answer to a repeated call; `None` while the earlier one may still end.
fn answer(state: &State, stored: StoredStep) -> Result<Option<Claim>> {
    if let Some(answer) = stored.answer {
        return Ok(Some(Claim::Answered(serde_json::from_value(answer)?)));
    }
    let Some(claimed_at) = stored.claimed_at else {
        // Another call has released the claim, unless the step has ended.
        let has_ended = stored.status != "running";
        return if has_ended { Err(ApiError::conflict("The automation step has ended")) } else { Ok(None) };
    };
    let is_lost = state.clock.now() - claimed_at > MAX_RUN_DURATION;
    let message = "An earlier call ended without an outcome; the action is not executed again";
    Ok(is_lost.then(|| unknown(message)))
}

/// Stores the outcome.
pub(super) async fn settle(
    state: &State,
    input: &AutomationActionInput,
    result: &AutomationActionResult,
) -> Result<()> {
    let answer = serde_json::to_value(result)?;
    until_written(async || {
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        db::settle(&mut connection, input, &answer).await
    })
    .await
}

/// Releases the claim, because this call had no effect.
pub(super) async fn release(state: &State, input: &AutomationActionInput) -> Result<()> {
    until_written(async || {
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        db::release(&mut connection, input).await
    })
    .await
}

fn unknown(message: &str) -> Claim {
    Claim::Answered(Err(Failure::unknown(message)).into())
}
