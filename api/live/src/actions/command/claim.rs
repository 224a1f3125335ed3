//! Claims of replies: one call replies to a chat line, all others return its result.

use api_core::{Result, State, access::SystemReason};
use extension_model::feeds::CommandReply;
use uuid::Uuid;

use super::{
    super::outcome::{MAX_RUN_DURATION, OutcomeWait, until_written},
    ActionErrorCode, ExtensionActionResult, Refusal,
    db::{self, StoredReply},
};

/// Result of a claim.
pub(super) enum Claim {
    /// The call sends the reply. No other call does.
    Taken,
    /// The call returns this result.
    Answered(ExtensionActionResult),
}

/// Claims the reply to a line. The database decides between concurrent calls.
pub(super) async fn take(state: &State, reply: &CommandReply, command: Uuid) -> Result<Claim> {
    let mut wait = OutcomeWait::begin();
    loop {
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        if db::begin(&mut connection, reply, command, state.clock.now()).await? {
            return Ok(Claim::Taken);
        }
        let stored = db::stored(&mut connection, reply).await?;
        drop(connection);
        // Without a row the other call has released the claim, and the next round may take it.
        if let Some(stored) = stored
            && let Some(claim) = answer(state, stored, command)?
        {
            return Ok(claim);
        }
        if !wait.pause().await {
            return Ok(refused(ActionErrorCode::InProgress, "the line is being answered by another call"));
        }
    }
}

/// Answer to a repeated call; `None` while the earlier one may still end.
fn answer(state: &State, stored: StoredReply, command: Uuid) -> Result<Option<Claim>> {
    if stored.command_id != command {
        let message = "this chat line was answered by another command";
        return Ok(Some(refused(ActionErrorCode::InvocationMismatch, message)));
    }
    if let Some(result) = stored.result {
        return Ok(Some(Claim::Answered(serde_json::from_value(result)?)));
    }
    let is_lost = state.clock.now() - stored.created_at > MAX_RUN_DURATION;
    let message = "an earlier call ended without an outcome; the line is not answered again";
    Ok(is_lost.then(|| refused(ActionErrorCode::OutcomeUnknown, message)))
}

/// Stores the outcome.
pub(super) async fn settle(
    state: &State,
    reply: &CommandReply,
    outcome: &ExtensionActionResult,
) -> Result<()> {
    let result = serde_json::to_value(outcome)?;
    until_written(async || {
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        db::finish(&mut connection, reply, &result).await
    })
    .await
}

/// Releases the claim, because this call had no effect.
pub(super) async fn release(state: &State, reply: &CommandReply) -> Result<()> {
    until_written(async || {
        let mut connection = state.system(SystemReason::HandlerAction).db().await?;
        db::release(&mut connection, reply).await
    })
    .await
}

fn refused(code: ActionErrorCode, message: &str) -> Claim {
    Claim::Answered(Refusal::new(code, message).into())
}
