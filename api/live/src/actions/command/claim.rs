//! Claims of replies: one call replies to a chat line, all others return its result.

use std::time::Duration;

use api_core::{ApiError, Result, State, access::SystemReason};
use extension_model::feeds::CommandReply;
use uuid::Uuid;

use super::{ActionErrorCode, ExtensionActionResult, Refusal, db};

/// Time for which a call waits for an earlier one.
const WAIT_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longest time of sending: a call without an outcome by then has died.
const MAX_RUN_DURATION: chrono::Duration = chrono::Duration::seconds(60);

/// Result of a claim.
pub(super) enum Claim {
    /// The call sends the reply. No other call does.
    Taken,
    /// The call returns this result.
    Answered(ExtensionActionResult),
}

/// Claims the reply to a line. The database decides between concurrent calls.
pub(super) async fn take(state: &State, reply: &CommandReply, command: Uuid) -> Result<Claim> {
    let now = state.clock.now();
    let mut connection = state.system(SystemReason::HandlerAction).db().await?;
    if db::begin(&mut connection, reply, command, now).await? {
        return Ok(Claim::Taken);
    }
    drop(connection);
    let give_up = tokio::time::Instant::now() + WAIT_TIMEOUT;
    loop {
        let stored = db::stored(&mut *state.system(SystemReason::HandlerAction).db().await?, reply).await?;
        // The row is missing only when it was deleted between the two statements.
        let stored = stored.ok_or_else(|| ApiError::conflict("The answer was forgotten meanwhile"))?;
        if stored.command_id != command {
            let message = "this chat line was answered by another command";
            return Ok(refused(ActionErrorCode::InvocationMismatch, message));
        }
        if let Some(result) = stored.result {
            return Ok(Claim::Answered(serde_json::from_value(result)?));
        }
        if state.clock.now() - stored.created_at > MAX_RUN_DURATION {
            let message = "an earlier call ended without an outcome; the line is not answered again";
            return Ok(refused(ActionErrorCode::OutcomeUnknown, message));
        }
        if tokio::time::Instant::now() >= give_up {
            return Ok(refused(ActionErrorCode::InProgress, "the line is being answered by another call"));
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Stores the outcome.
pub(super) async fn settle(
    state: &State,
    reply: &CommandReply,
    outcome: &ExtensionActionResult,
) -> Result<()> {
    let result = serde_json::to_value(outcome)?;
    db::finish(&mut *state.system(SystemReason::HandlerAction).db().await?, reply, &result).await
}

/// Releases the claim, because this call had no effect.
pub(super) async fn release(state: &State, reply: &CommandReply) -> Result<()> {
    db::release(&mut *state.system(SystemReason::HandlerAction).db().await?, reply).await
}

fn refused(code: ActionErrorCode, message: &str) -> Claim {
    Claim::Answered(Refusal::new(code, message).into())
}
