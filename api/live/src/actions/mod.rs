//! Actions of extension handlers on the platforms (reference/handlers.md#host-actions).
//!
//! Workers hold no platform credentials: they call here, and the API acts with the account's connection. An
//! action is identified by install and invocation (the invocation's id with the index of the action in it)
//! and is executed **at most once**: its row is written before the effect and its outcome after it. A
//! repeated call returns the stored outcome, also a failed one. When a process dies between the two, it is
//! not known if the effect happened. A repeated call then returns `OUTCOME_UNKNOWN` and does nothing, because
//! a second message is worse than none. Only the emission of an event is executed again then: its id and time
//! are those of the row, so that it is stored and published once.

mod account;
mod automation_action;
mod claim;
mod command;
mod db;
mod emit;
mod moderate;
mod outcome;
mod redemption;
pub mod rest;
mod send;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, System},
    graphql::Json,
    validate,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

pub use automation_action::{
    AutomationActionInput, AutomationActionResult, INTERNAL_RUN_AUTOMATION_ACTION,
    internal_run_automation_action,
};
use claim::Claim;
pub use command::{INTERNAL_REPLY_TO_COMMAND, internal_reply_to_command};
use db::Install;
pub use extension_model::actions::ActionErrorCode;
use extension_model::actions::{Action, ActionKind, Refusal};
pub use redemption::{
    INTERNAL_REDEEM_REWARD, RedemptionOutcome, RewardRedemptionInput, RewardRedemptionResult,
    internal_redeem_reward,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &RUN_EXTENSION_ACTION,
    &INTERNAL_REPLY_TO_COMMAND,
    &INTERNAL_REDEEM_REWARD,
    &INTERNAL_RUN_AUTOMATION_ACTION,
];

const MAX_INVOCATION_ID_LENGTH: usize = 128;

/// Action of a handler.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct RunExtensionActionInput {
    /// Id of the install.
    pub install_id: Uuid,
    /// The invocation and the index of the action in it, 1 to 128 characters. Equal ids are one action.
    #[schema(extensions(("maxLength" = json!(MAX_INVOCATION_ID_LENGTH))))]
    pub invocation_id: String,
    /// `chat:send`, `chat:delete`, `chat:ban`, `chat:unban`, `chat:timeout`, `events:emit`, or the name in a
    /// bot result: `send_message`, `delete`, `ban`, `timeout`.
    #[schema(extensions(("enum" = json!(ActionKind::names()))))]
    pub action: String,
    /// Input of the action.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub payload: Value,
    /// Time after which the action must not be executed; null for none.
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Option<Timestamp>,
}

/// Result of an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExtensionActionResult {
    /// True when the action was executed.
    pub ok: bool,
    /// Result of the action; absent on failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub result: Option<Json>,
    /// Reason of the failure; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<ActionErrorCode>,
    /// Message for the extension's developer; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

pub static RUN_EXTENSION_ACTION: Operation<System> =
    Operation::internal("runExtensionAction", Grants::Nothing).not_idempotent("the invocation id is its key");

/// Executes an action of an extension's handler.
///
/// It is done at most once for each install and invocation id. A repeated call returns the stored outcome and
/// has no effect. When it is not known if an earlier call had its effect, it returns `OUTCOME_UNKNOWN` and
/// does nothing; only `events:emit` is executed again. Failures of the action are 200 with `ok: false`.
///
/// (reference/handlers.md#host-actions)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for a malformed call; 404 for an unknown install.
#[api_core::operation]
pub async fn run_extension_action(
    cx: &Cx,
    input: Input<RunExtensionActionInput>,
) -> Result<ExtensionActionResult> {
    let system = cx.authorize(&RUN_EXTENSION_ACTION).await?;
    let input = input?;
    let invocation_id = validate::text("invocation_id", &input.invocation_id, 1, MAX_INVOCATION_ID_LENGTH)?;
    let install = db::install(&mut *system.db().await?, input.install_id).await?;
    let install = install.ok_or_else(|| ApiError::not_found("Install not found"))?;
    let largest_event = cx.state().config.rate_limits.events_emit_bytes as usize;
    let action = match checked(&install, &input, largest_event) {
        Ok(action) => action,
        Err(refusal) => return Ok(refusal.into()),
    };
    match claim::take(cx.state(), &install, &invocation_id, &action).await? {
        Claim::Answered(result) => Ok(result),
        Claim::Taken { .. } if is_past(cx, input.expires_at.map(Into::into)) => {
            let late = Refusal::expired().into();
            claim::settle(cx.state(), &install, &invocation_id, &late).await?;
            Ok(late)
        }
        Claim::Taken { since } => execute(cx, install, invocation_id, action, since).await,
    }
}

/// True when the time limit of an action has passed.
pub(crate) fn is_past(cx: &Cx, expires_at: Option<DateTime<Utc>>) -> bool {
    expires_at.is_some_and(|end| cx.state().clock.now() >= end)
}

fn checked(
    install: &Install,
    input: &RunExtensionActionInput,
    largest_event: usize,
) -> Result<Action, Refusal> {
    if !install.is_active() {
        return Err(Refusal::new(ActionErrorCode::InstallDisabled, "The install is disabled"));
    }
    let kind = ActionKind::parse(&input.action)?;
    install.must_declare(kind)?;
    Action::parse(kind, &input.payload, largest_event)
}

/// Runs as an own task: a caller that disconnects must not prevent the record of an effect.
async fn execute(
    cx: &Cx,
    install: Install,
    invocation_id: String,
    action: Action,
    since: DateTime<Utc>,
) -> Result<ExtensionActionResult> {
    let cx = cx.clone();
    let task = tokio::spawn(async move {
        let outcome = match perform(&cx, &install, &invocation_id, &action, since).await {
            Ok(outcome) => outcome,
            Err(error) => {
                // A repeatable action keeps its row, and with it the time that its ids are made of. For the
                // others, failures of the server come before the effect, so another call may execute the
                // action.
                if !action.may_be_repeated() {
                    claim::release(cx.state(), &install, &invocation_id).await?;
                }
                return Err(error);
            }
        };
        if let Err(error) = claim::settle(cx.state(), &install, &invocation_id, &outcome).await {
            // The effect happened; only a repeated call does not get the outcome.
            tracing::error!(install_id = %install.id, %error, "the outcome of an action could not be stored");
        }
        Ok(outcome)
    });
    task.await.map_err(ApiError::internal)?
}

async fn perform(
    cx: &Cx,
    install: &Install,
    invocation_id: &str,
    action: &Action,
    since: DateTime<Utc>,
) -> Result<ExtensionActionResult> {
    let outcome = match action {
        Action::Send(send) => send::send_for(cx, install.account_id, Some(install.id), send).await?,
        Action::Moderate(moderation) => moderate::moderate(cx, install, moderation).await?,
        Action::Emit(emit) => emit::emit(cx, install, invocation_id, emit, since).await?,
    };
    Ok(match outcome {
        Ok(result) => {
            ExtensionActionResult { ok: true, result: Some(Json(result)), error_code: None, error: None }
        }
        Err(refusal) => refusal.into(),
    })
}

impl From<Refusal> for ExtensionActionResult {
    fn from(refusal: Refusal) -> Self {
        Self { ok: false, result: None, error_code: Some(refusal.code), error: Some(refusal.message) }
    }
}
