//! Who carries an action out, and what everybody else is answered.

use std::time::Duration;

use api_core::{ApiError, Result, State};
use chrono::{DateTime, SubsecRound, Utc};

use super::{
    ActionErrorCode, ExtensionActionResult, Refusal,
    db::{self, Install},
    request::Action,
};

/// How long a call waits for one that was there before.
const WAIT_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longer than carrying out any action takes: who has not finished by then has died.
const MAX_RUN: chrono::Duration = chrono::Duration::seconds(60);

/// What a call is to do.
pub(super) enum Claim {
    /// Carry the action out: nobody else will, unless it may be repeated. `since` is the same for all who do.
    Taken { since: DateTime<Utc> },
    /// Answer this.
    Answered(ExtensionActionResult),
}

/// Decides who carries an action out. The database decides between calls that come together; an action without an
/// outcome is carried out again when it may be.
pub(super) async fn take(
    state: &State,
    install: &Install,
    invocation_id: &str,
    action: &Action,
) -> Result<Claim> {
    let (since, name) = (state.clock.now().trunc_subsecs(3), action.name());
    let mut connection = state.databases.postgres.get().await?;
    if db::begin(&mut connection, install, invocation_id, name, since).await? {
        return Ok(Claim::Taken { since });
    }
    drop(connection);
    let give_up = tokio::time::Instant::now() + WAIT_TIMEOUT;
    loop {
        let stored = db::stored(&mut *state.databases.postgres.get().await?, install, invocation_id).await?;
        // The row can only be missing when it was forgotten between the two statements.
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
        if state.clock.now() - stored.created_at > MAX_RUN {
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
    db::finish(&mut *state.databases.postgres.get().await?, install, invocation_id, &result).await
}

/// Lets another call carry the action out, because this one had no effect.
pub(super) async fn release(state: &State, install: &Install, invocation_id: &str) -> Result<()> {
    db::release(&mut *state.databases.postgres.get().await?, install, invocation_id).await
}

fn refused(code: ActionErrorCode, message: impl Into<String>) -> Claim {
    Claim::Answered(Refusal::new(code, message).into())
}
