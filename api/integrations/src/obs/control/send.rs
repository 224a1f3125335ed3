//! Passing commands on: to the daemon that holds the connection, or to the account's own page
//! (reference/obs.md#commands).

use api_core::{ApiError, Code, Cx, Result, access::AccountCaller};
use foundation::audit::{self, Entry};
use live_model::obs::{
    self, Asked, COMMAND_TIMEOUT, ObsCall, ObsCommand, ObsExchange, ObsReply, ObsState, TEST_TIMEOUT,
};
use serde_json::json;
use shared::id::{self, AccountId};

use super::{ObsCommandResult, ObsTestResult};
use crate::obs::configs;

/// State of the OBS of an account as the daemon knows it.
pub(super) async fn state(cx: &Cx, account: AccountId) -> Result<Option<ObsState>> {
    Ok(exchange(cx).state(account.uuid()).await?)
}

/// Has OBS execute a command and records it in the audit trail.
pub(super) async fn command(
    cx: &Cx,
    caller: &AccountCaller,
    command: ObsCommand,
    entry: Entry<'_>,
) -> Result<ObsCommandResult> {
    let account = caller.account;
    let metadata = json!({
        "scene": command.scene(),
        "source": command.source().map(|(source, _)| source),
        "visible": command.source().map(|(_, visible)| visible),
    });
    let relayed = if is_remote(caller).await? {
        execute(cx, account, command).await?;
        false
    } else {
        relay(cx, account, &command).await?;
        true
    };
    audit::record(&mut *caller.db().await?, Entry { metadata, ..entry }).await?;
    Ok(ObsCommandResult { success: true, relayed })
}

/// Tests the stored configuration.
pub(super) async fn test(cx: &Cx, caller: &AccountCaller) -> Result<ObsTestResult> {
    let account = caller.account;
    if !is_remote(caller).await? {
        relay(cx, account, &ObsCommand::Test).await?;
        return Ok(ObsTestResult { success: true, error: None, relayed: true });
    }
    let (exchange, call) = (exchange(cx), call(cx, account, ObsCommand::Test, TEST_TIMEOUT));
    let Some(slot) = exchange.test_slot(account.uuid(), call.id).await? else {
        return Err(too_many("A test of the connection is running"));
    };
    let asked = exchange.test(&call).await;
    slot.release().await;
    let error = match asked? {
        Asked::Replied(ObsReply::Done) => None,
        Asked::Replied(ObsReply::Refused { comment }) => Some(comment),
        Asked::Replied(ObsReply::NotConnected) => Some("The configuration was changed meanwhile".to_owned()),
        Asked::Replied(ObsReply::Lost) | Asked::NotTaken | Asked::Unknown => {
            Some("The test was not executed in time".to_owned())
        }
        Asked::Full => return Err(too_many("Too many tests of connections are waiting")),
    };
    Ok(ObsTestResult { success: error.is_none(), error, relayed: false })
}

/// True when the daemon connects to the OBS of the account.
///
/// # Errors
/// 409 when nothing is stored.
async fn is_remote(caller: &AccountCaller) -> Result<bool> {
    let config = configs::find(&mut *caller.db().await?, caller.account).await?;
    Ok(config.ok_or_else(not_connected)?.remote_enabled)
}

async fn execute(cx: &Cx, account: AccountId, command: ObsCommand) -> Result<()> {
    if !state(cx, account).await?.is_some_and(|state| state.connected) {
        return Err(not_connected());
    }
    let call = call(cx, account, command, COMMAND_TIMEOUT);
    cx.begin_effect();
    let asked = exchange(cx).command(&call).await?;
    if is_without_effect(&asked) {
        cx.undo_effect();
    }
    match asked {
        Asked::Replied(ObsReply::Done) => Ok(()),
        Asked::Replied(ObsReply::Refused { comment }) => Err(ApiError::bad_request(comment)),
        Asked::Replied(ObsReply::NotConnected) | Asked::NotTaken => Err(not_connected()),
        Asked::Replied(ObsReply::Lost) | Asked::Unknown => {
            Err(ApiError::conflict("OBS did not answer in time")
                .with_details(json!({ "code": "OUTCOME_UNKNOWN" })))
        }
        Asked::Full => Err(too_many("Too many commands to OBS are waiting")),
    }
}

/// True when OBS certainly did nothing.
const fn is_without_effect(asked: &Asked) -> bool {
    !matches!(asked, Asked::Replied(ObsReply::Done | ObsReply::Lost) | Asked::Unknown)
}

async fn relay(cx: &Cx, account: AccountId, command: &ObsCommand) -> Result<()> {
    cx.begin_effect();
    Ok(obs::relay(&cx.state().events, account, command, cx.state().clock.now()).await?)
}

fn call(cx: &Cx, account: AccountId, command: ObsCommand, wait_timeout: std::time::Duration) -> ObsCall {
    let expires_at = cx.state().clock.now() + wait_timeout;
    ObsCall { id: id::new(), account_id: account.uuid(), command, expires_at }
}

fn exchange(cx: &Cx) -> ObsExchange {
    ObsExchange::new(cx.state().redis.clone())
}

fn not_connected() -> ApiError {
    ApiError::conflict("OBS is not connected")
}

fn too_many(message: &str) -> ApiError {
    ApiError::new(Code::RateLimitExceeded, message)
}
