//! What extension handlers ask to be done on the platforms (specification C B3.5, B17; B §5).
//!
//! Workers hold no platform credentials: they call here, and the API acts with the account's connection. An action is
//! named by install and invocation (the invocation's id with the index of the action in it) and is carried out **at
//! most once**: its row is written before the effect and its outcome after it. A repeated call answers the stored
//! outcome, also a failed one. When a process dies between the two, nobody knows whether the effect happened; a
//! repeated call then answers `OUTCOME_UNKNOWN` and does nothing, because a second message is worse than none. Only
//! emitting an event is carried out again then: its id and time are those of the row, so that it is stored and told
//! once.

mod account;
mod claim;
mod command;
mod db;
mod emit;
mod moderate;
mod request;
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

use claim::Claim;
pub use command::{INTERNAL_REPLY_TO_COMMAND, internal_reply_to_command};
use db::Install;
use request::Action;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&RUN_EXTENSION_ACTION, &INTERNAL_REPLY_TO_COMMAND];

const MAX_INVOCATION_ID_LENGTH: usize = 128;

/// An action of a handler.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct RunExtensionActionInput {
    pub install_id: Uuid,
    /// The invocation and the index of the action in it, 1 to 128 characters: equal ids are one action.
    #[schema(extensions(("maxLength" = json!(MAX_INVOCATION_ID_LENGTH))))]
    pub invocation_id: String,
    /// `chat:send`, `chat:delete`, `chat:ban`, `chat:unban`, `chat:timeout`, `events:emit`, or what a bot result calls
    /// them: `send_message`, `delete`, `ban`, `timeout`.
    #[schema(extensions(("enum" = json!(request::Kind::names()))))]
    pub action: String,
    /// What the action takes (C B3.5).
    #[serde(default)]
    #[schema(value_type = Object)]
    pub payload: Value,
    /// When it is too late for the action.
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Option<Timestamp>,
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExtensionActionResult {
    pub ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub result: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<ActionErrorCode>,
    /// For the extension's developer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Why an action was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActionErrorCode {
    /// The manifest does not declare the action, or the account has not granted it.
    PermissionError,
    /// There is no such action.
    UnknownAction,
    /// The payload is not what the action takes; the message names the field.
    InvalidPayload,
    /// The install is disabled or killed.
    InstallDisabled,
    /// The account has no connection to the platform.
    NotConnected,
    /// The account has switched the bot off on the platform.
    BotDisabled,
    /// The platform no longer takes the connection's token.
    ReconnectRequired,
    /// The platform has no such action, or Lumio does not offer it there.
    NotSupported,
    /// The target is the channel itself.
    Forbidden,
    /// The account's chat has no such message.
    NotFound,
    /// The platform asks for fewer calls, or the account or install has done as much as it may.
    RateLimited,
    /// The platform refused; the message has its words.
    PlatformRejected,
    /// The platform did not answer as it should: whether the effect happened is not certain.
    PlatformUnavailable,
    /// The same action is being carried out by another call.
    InProgress,
    /// An earlier call ended without an outcome: whether the effect happened is not known.
    OutcomeUnknown,
    /// The id was used for another action.
    InvocationMismatch,
    /// What it answers is too long ago.
    Expired,
}

/// Why an action was not carried out, in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub code: ActionErrorCode,
    pub message: String,
}

/// Carry out an action of an extension's handler.
pub static RUN_EXTENSION_ACTION: Operation<System> =
    Operation::internal("runExtensionAction", Grants::Nothing);

/// Carries out an action of an extension's handler, at most once for each install and invocation id.
///
/// # Errors
/// As the rule; 400 for a malformed call, 404 for an unknown install. Everything else that can go wrong with the
/// action is an answer with `ok: false`.
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
        Claim::Taken { since } => carry_out(cx, install, invocation_id, action, since).await,
    }
}

/// Whether the time until which something may be done is over.
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
    let kind = request::Kind::parse(&input.action)?;
    install.must_declare(kind)?;
    Action::parse(kind, &input.payload, largest_event)
}

/// Runs on a task of its own: a caller that hangs up must not keep an effect from being recorded.
async fn carry_out(
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
                // What may be repeated keeps its row, and with it the time that its ids are made of. Of the other
                // actions our own failures come before the effect, so another call may carry the action out.
                if !action.may_be_repeated() {
                    claim::release(cx.state(), &install, &invocation_id).await?;
                }
                return Err(error);
            }
        };
        if let Err(error) = claim::settle(cx.state(), &install, &invocation_id, &outcome).await {
            // The effect stands; only a repeated call will not learn of it.
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
        Action::Send(send) => send::send(cx, install.account_id, send).await?,
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

impl Refusal {
    pub fn new(code: ActionErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// After an outage: an answer that comes much later than its line helps nobody.
    pub fn expired() -> Self {
        Self::new(ActionErrorCode::Expired, "What it answers is too long ago")
    }
}

impl From<Refusal> for ExtensionActionResult {
    fn from(refusal: Refusal) -> Self {
        Self { ok: false, result: None, error_code: Some(refusal.code), error: Some(refusal.message) }
    }
}
