//! Answers to chat commands (specification C B11.2). Workers say who used which command and what it responds; the
//! response is filled in and sent here, in the name of the account's bot, **at most once** for each chat line: its row is
//! written before the message and the outcome after it, as for actions of extensions.

mod claim;
mod db;
mod response;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, System},
    graphql::Json,
};
use serde_json::{Value, json};
use shared::{
    feeds::{CommandReply, ResponseType},
    platforms::Platform,
};
use uuid::Uuid;

use super::{ActionErrorCode, ExtensionActionResult, Refusal, is_past, request::Send, send};
use claim::Claim;

/// Answer a chat command.
pub static INTERNAL_REPLY_TO_COMMAND: Operation<System> =
    Operation::internal("internalReplyToCommand", Grants::Nothing);

/// Sends the response of a command, or starts its automation, at most once for each chat line.
///
/// # Errors
/// As the rule; 400 for a malformed call, 404 when the account has no such command. Everything else that can go wrong is
/// an answer with `ok: false`.
pub async fn internal_reply_to_command(
    cx: &Cx,
    command: Input<Uuid>,
    reply: Input<CommandReply>,
) -> Result<ExtensionActionResult> {
    let system = cx.authorize(&INTERNAL_REPLY_TO_COMMAND).await?;
    let (command, reply) = (command?, reply?);
    let platform: Platform = reply
        .platform
        .parse()
        .map_err(|_unknown| ApiError::invalid("platform must be the name of a platform"))?;
    if !db::has_command(&mut *system.db().await?, reply.account_id, command).await? {
        return Err(ApiError::not_found("Bot command not found"));
    }
    match claim::take(cx.state(), &reply, command).await? {
        Claim::Answered(result) => Ok(result),
        Claim::Taken => carry_out(cx, platform, command, reply).await,
    }
}

/// Runs on a task of its own: a caller that hangs up must not keep an effect from being recorded.
async fn carry_out(
    cx: &Cx,
    platform: Platform,
    command: Uuid,
    reply: CommandReply,
) -> Result<ExtensionActionResult> {
    let cx = cx.clone();
    let task = tokio::spawn(async move {
        let outcome = match perform(&cx, platform, command, &reply).await {
            Ok(Ok(result)) => {
                ExtensionActionResult { ok: true, result: Some(Json(result)), error_code: None, error: None }
            }
            Ok(Err(refusal)) => refusal.into(),
            Err(error) => {
                // Our own failures come before the effect, so another call may answer.
                claim::release(cx.state(), &reply).await?;
                return Err(error);
            }
        };
        if let Err(error) = claim::settle(cx.state(), &reply, &outcome).await {
            // The effect stands; only a repeated call will not learn of it.
            tracing::error!(%command, %error, "the outcome of an answer could not be stored");
        }
        Ok(outcome)
    });
    task.await.map_err(ApiError::internal)?
}

async fn perform(
    cx: &Cx,
    platform: Platform,
    command: Uuid,
    reply: &CommandReply,
) -> Result<Result<Value, Refusal>> {
    if is_past(cx, reply.expires_at) {
        return Ok(Err(Refusal::expired()));
    }
    let message = match reply.response_type {
        ResponseType::Text => platform.cut_chat_message(&reply.response),
        ResponseType::Template => {
            let channel =
                db::channel(&mut *cx.state().databases.postgres.get().await?, reply.account_id, platform)
                    .await?;
            let now = cx.state().clock.now();
            platform.cut_chat_message(&response::filled_in(reply, channel.as_ref(), now))
        }
        ResponseType::Automation => return start_automation(cx, command, reply).await,
    };
    if message.is_empty() {
        return Ok(Ok(json!({ "platform": platform, "message_id": null })));
    }
    let send = Send { message, platform: Some(platform), reply_to: None };
    send::send(cx, reply.account_id, &send).await
}

/// Adds a run of the automation, which is carried out by those who carry out automations.
async fn start_automation(cx: &Cx, command: Uuid, reply: &CommandReply) -> Result<Result<Value, Refusal>> {
    let refuse = |why: &str| Ok(Err(Refusal::new(ActionErrorCode::NotSupported, why)));
    let Some(automation) = reply.automation_id else {
        return refuse("the automation of the command was deleted");
    };
    let trigger = json!({ "node_id": null, "type": "command", "payload": {
        "command_id": command,
        "platform": reply.platform,
        "message_id": reply.message_id,
        "user_id": reply.user_id,
        "user_name": reply.user_name,
        "arguments": reply.arguments,
    } });
    let run = db::NewRun { reply, automation, trigger, now: cx.state().clock.now() };
    match db::start(&mut *cx.state().databases.postgres.get().await?, run).await? {
        Some(db::Run { id, status }) => Ok(Ok(json!({ "run_id": id, "status": status }))),
        None => refuse("the automation of the command is switched off"),
    }
}
