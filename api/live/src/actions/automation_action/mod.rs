//! Actions of automations that need what only the API holds: connections of the account, and the events domain
//! (reference/automations.md#actions-of-the-api).
//!
//! Workers hold no platform credentials: they call here, and the API acts with the account's connections. An action
//! is identified by its run and its position in it and is executed **at most once**: the step is claimed before the
//! effect and gets its outcome after it. A repeated call returns the stored outcome. When a process dies between the
//! two, a repeated call returns that the outcome is unknown, and does nothing.

mod chat;
mod claim;
mod db;
mod discord;
mod events;
mod music;
mod stream;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, System, account_features},
    graphql::Json,
};
use automation_model::{
    effects::{self, Action},
    machine::Effect,
    node_types::domain_features,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::id::AccountId;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{ActionErrorCode, Refusal};
use claim::Claim;
use db::StepRun;

/// Types of the actions that are executed here.
const ACTIONS: [&str; 13] = [
    "send_chat",
    "delete_message",
    "timeout_user",
    "ban_user",
    "show_alert",
    "emit_event",
    "spotify_play",
    "spotify_pause",
    "spotify_skip",
    "spotify_queue",
    "set_stream_title",
    "create_clip",
    "discord_message",
];

/// Action of a step of an automation run.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct AutomationActionInput {
    /// Account of the automation.
    pub account_id: Uuid,
    /// The automation.
    pub automation_id: Uuid,
    /// The run.
    pub run_id: Uuid,
    /// Position of the step in the run. A run executes the action of a position once.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub position: i32,
    /// Type of the node.
    #[schema(extensions(("enum" = json!(ACTIONS))))]
    pub action: String,
    /// Arguments of the action, checked and with their templates filled in.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub arguments: Value,
}

/// Result of an action of an automation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AutomationActionResult {
    /// True when the action was executed.
    pub ok: bool,
    /// Output of the node; absent on failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output: Option<Json>,
    /// Message of the failure; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// True when the action may have had its effect although no success is known; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<bool>,
}

/// Reason why an action failed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Failure {
    /// Message for the people who edit the automation.
    message: String,
    /// True when the effect may have happened.
    unknown: bool,
}

/// Outcome of an action: its output, or the failure.
type Outcome = Result<Value, Failure>;

/// Action that this call executes.
struct Call {
    account: AccountId,
    automation: Uuid,
    run_id: Uuid,
    position: i32,
    run: StepRun,
}

pub static INTERNAL_RUN_AUTOMATION_ACTION: Operation<System> =
    Operation::internal("internalRunAutomationAction", Grants::Nothing)
        .not_idempotent("the run and the position in it are its key");

/// Executes an action of an automation with the connections of its account.
///
/// It is done at most once for each run and position. A repeated call returns the stored outcome and has no effect.
/// The result has `unknown: true`, and nothing is done, if an earlier call may have had its effect.
/// Failures of the action are 200 with `ok: false`.
///
/// (reference/automations.md#actions-of-the-api)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for a malformed call; 404 when the account has no such running step; 409 when
/// the step has ended.
#[api_core::operation]
pub async fn internal_run_automation_action(
    cx: &Cx,
    input: Input<AutomationActionInput>,
) -> Result<AutomationActionResult> {
    let system = cx.authorize(&INTERNAL_RUN_AUTOMATION_ACTION).await?;
    let input = input?;
    let action = parsed(&input)?;
    match claim::take(cx.state(), &input).await? {
        Claim::Answered(result) => Ok(result),
        Claim::Taken(run) => {
            let (automation, run_id, position) = (input.automation_id, input.run_id, input.position);
            let call = Call { account: system.account(input.account_id), automation, run_id, position, run };
            execute(cx, input, call, action).await
        }
    }
}

fn parsed(input: &AutomationActionInput) -> Result<Action> {
    let name = ACTIONS.into_iter().find(|name| *name == input.action);
    let name =
        name.ok_or_else(|| ApiError::invalid(format!("action must be one of {}", ACTIONS.join(", "))))?;
    let effect = Effect { r#type: name, install_id: None, arguments: input.arguments.clone() };
    effects::parse(&effect).map_err(|problem| ApiError::invalid(format!("Invalid arguments: {problem}")))
}

/// Runs as an own task: a caller that disconnects must not prevent the record of an effect.
async fn execute(
    cx: &Cx,
    input: AutomationActionInput,
    call: Call,
    action: Action,
) -> Result<AutomationActionResult> {
    let cx = cx.clone();
    let task = tokio::spawn(async move {
        let named = (input.action.as_str(), action);
        let result: AutomationActionResult = match perform(&cx, &call, named).await {
            Ok(outcome) => outcome.into(),
            Err(error) => {
                // Failures of the server come before the effect, so another call may execute the action.
                claim::release(cx.state(), &input).await?;
                return Err(error);
            }
        };
        if let Err(error) = claim::settle(cx.state(), &input, &result).await {
            // The effect happened; only a repeated call does not get the outcome.
            tracing::error!(run_id = %input.run_id, %error, "the outcome of an action could not be stored");
        }
        Ok(result)
    });
    task.await.map_err(ApiError::internal)?
}

async fn perform(cx: &Cx, call: &Call, (name, action): (&str, Action)) -> Result<Outcome> {
    if let Err(disabled) = check_features(cx, call, name).await? {
        return Ok(Err(disabled));
    }
    match action {
        Action::SendChat(send) => chat::send(cx, call, &send).await,
        Action::DeleteMessage(delete) => chat::delete(cx, call, delete).await,
        Action::TimeoutUser(timeout) => chat::timeout(cx, call, timeout).await,
        Action::BanUser(ban) => chat::ban(cx, call, ban).await,
        Action::ShowAlert(alert) => events::show_alert(cx, call, alert).await,
        Action::EmitEvent(emit) => events::emit_event(cx, call, emit).await,
        Action::SpotifyPlay(play) => music::play(cx, call, play.uri.as_deref()).await,
        Action::SpotifyPause => music::pause(cx, call).await,
        Action::SpotifySkip => music::skip(cx, call).await,
        Action::SpotifyQueue(queue) => music::queue(cx, call, &queue.uri).await,
        Action::SetStreamTitle(title) => stream::set_title(cx, call, &title).await,
        Action::CreateClip(clip) => stream::create_clip(cx, call, &clip).await,
        Action::DiscordMessage(message) => discord::send(cx, call, &message).await,
        _ => Err(ApiError::invalid(format!("action must be one of {}", ACTIONS.join(", ")))),
    }
}

/// Checks the features of the action's domain, beside the flag of its node type.
async fn check_features(cx: &Cx, call: &Call, action: &str) -> Result<Result<(), Failure>> {
    let features = account_features(cx.state(), call.account).await?;
    let off = domain_features(action).iter().find(|feature| !features.has(**feature));
    Ok(off.map_or(Ok(()), |feature| Err(Failure::feature_disabled(feature.key()))))
}

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), unknown: false }
    }

    fn unknown(message: impl Into<String>) -> Self {
        Self { message: message.into(), unknown: true }
    }

    fn feature_disabled(key: &str) -> Self {
        Self::new(format!("FEATURE_DISABLED: {key}"))
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self { unknown: refusal.code == ActionErrorCode::PlatformUnavailable, message: refusal.message }
    }
}

impl From<Outcome> for AutomationActionResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Ok(output) => Self { ok: true, output: Some(Json(output)), error: None, unknown: None },
            Err(Failure { message, unknown }) => {
                Self { ok: false, output: None, error: Some(message), unknown: unknown.then_some(true) }
            }
        }
    }
}
