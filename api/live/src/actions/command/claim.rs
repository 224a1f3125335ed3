//! Who answers a chat line, and what everybody else is told.

use std::time::Duration;

use api_core::{ApiError, Result, State};
use shared::feeds::CommandReply;
use uuid::Uuid;

use super::{ActionErrorCode, ExtensionActionResult, Refusal, db};

/// How long a call waits for one that was there before.
const WAIT_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longer than sending takes: who has not finished by then has died.
const MAX_RUN: chrono::Duration = chrono::Duration::seconds(60);

/// What a call is to do.
pub(super) enum Claim {
    /// Answer the line: nobody else will.
    Taken,
    /// Tell this.
    Answered(ExtensionActionResult),
}

/// Decides who answers a line. The database decides between calls that come together.
pub(super) async fn take(state: &State, reply: &CommandReply, command: Uuid) -> Result<Claim> {
    let now = state.clock.now();
    let mut connection = state.databases.postgres.get().await?;
    if db::begin(&mut connection, reply, command, now).await? {
        return Ok(Claim::Taken);
    }
    drop(connection);
    let give_up = tokio::time::Instant::now() + WAIT_TIMEOUT;
    loop {
        let stored = db::stored(&mut *state.databases.postgres.get().await?, reply).await?;
        // The row can only be missing when it was forgotten between the two statements.
        let stored = stored.ok_or_else(|| ApiError::conflict("The answer was forgotten meanwhile"))?;
        if stored.command_id != command {
            let message = "this chat line was answered by another command";
            return Ok(told(ActionErrorCode::InvocationMismatch, message));
        }
        if let Some(result) = stored.result {
            return Ok(Claim::Answered(serde_json::from_value(result)?));
        }
        if state.clock.now() - stored.created_at > MAX_RUN {
            let message = "an earlier call ended without an outcome; the line is not answered again";
            return Ok(told(ActionErrorCode::OutcomeUnknown, message));
        }
        if tokio::time::Instant::now() >= give_up {
            return Ok(told(ActionErrorCode::InProgress, "the line is being answered by another call"));
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
    db::finish(&mut *state.databases.postgres.get().await?, reply, &result).await
}

/// Lets another call answer, because this one had no effect.
pub(super) async fn release(state: &State, reply: &CommandReply) -> Result<()> {
    db::release(&mut *state.databases.postgres.get().await?, reply).await
}

fn told(code: ActionErrorCode, message: &str) -> Claim {
    Claim::Answered(Refusal::new(code, message).into())
}
