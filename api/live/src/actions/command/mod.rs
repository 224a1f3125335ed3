//! Replies to chat commands (reference/bots.md#replies). Workers report the caller, the command and its
//! response. The response is filled in and sent here in the name of the account's bot, **at most once** for
//! each chat line: its row is written before the message and the outcome after it, as for actions of
//! extensions.

mod claim;
mod db;
mod response;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, System, SystemReason},
    graphql::Json,
};
use automation_model::{
    runs::{self, NewRun},
    starts,
};
use extension_model::{
    actions::Send,
    feeds::{CommandReply, ResponseType},
};
use live_model::music;
use serde_json::{Value, json};
use shared::{id::AccountId, platform::Platform};
use uuid::Uuid;

use super::{ActionErrorCode, ExtensionActionResult, Refusal, is_past, send};
use claim::Claim;

pub static INTERNAL_REPLY_TO_COMMAND: Operation<System> =
    Operation::internal("internalReplyToCommand", Grants::Nothing).not_idempotent("the chat line is its key");

/// Sends the response of a chat command, or starts its automation.
///
/// It is done at most once for each chat line. A repeated call returns the stored outcome and has no effect.
/// Failures of the reply are 200 with `ok: false`.
///
/// (reference/bots.md#replies)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for a malformed call; 404 when the account has no such command.
#[api_core::operation]
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
    let name = db::name_of(&mut *system.db().await?, reply.account_id, command).await?;
    let name = name.ok_or_else(|| ApiError::not_found("Bot command not found"))?;
    match claim::take(cx.state(), &reply, command).await? {
        Claim::Answered(result) => Ok(result),
        Claim::Taken => {
            let command = Command { id: command, name };
            execute(cx, system.account(reply.account_id), platform, command, reply).await
        }
    }
}

/// Command of a line.
struct Command {
    id: Uuid,
    name: String,
}

/// Runs as an own task: a caller that disconnects must not prevent the record of an effect.
async fn execute(
    cx: &Cx,
    account: AccountId,
    platform: Platform,
    command: Command,
    reply: CommandReply,
) -> Result<ExtensionActionResult> {
    let cx = cx.clone();
    let task = tokio::spawn(async move {
        let outcome = match perform(&cx, account, platform, &command, &reply).await {
            Ok(Ok(result)) => {
                ExtensionActionResult { ok: true, result: Some(Json(result)), error_code: None, error: None }
            }
            Ok(Err(refusal)) => refusal.into(),
            Err(error) => {
                // Failures of the server come before the effect, so another call may send the reply.
                claim::release(cx.state(), &reply).await?;
                return Err(error);
            }
        };
        if let Err(error) = claim::settle(cx.state(), &reply, &outcome).await {
            // The effect happened; only a repeated call does not get the outcome.
            tracing::error!(command = %command.id, %error, "the outcome of an answer could not be stored");
        }
        Ok(outcome)
    });
    task.await.map_err(ApiError::internal)?
}

async fn perform(
    cx: &Cx,
    account: AccountId,
    platform: Platform,
    command: &Command,
    reply: &CommandReply,
) -> Result<Result<Value, Refusal>> {
    if is_past(cx, reply.expires_at) {
        return Ok(Err(Refusal::expired()));
    }
    let message = match reply.response_type {
        ResponseType::Text => platform.cut_chat_message(&reply.response),
        ResponseType::Template => {
            let channel = db::channel(
                &mut *cx.state().system(SystemReason::HandlerAction).db().await?,
                reply.account_id,
                platform,
            )
            .await?;
            let (song, now) = (song(cx, account, reply).await, cx.state().clock.now());
            platform.cut_chat_message(&response::filled_in(reply, channel.as_ref(), song.as_deref(), now))
        }
        ResponseType::Automation => return start_automation(cx, command, reply).await,
    };
    if message.is_empty() {
        return Ok(Ok(json!({ "platform": platform, "message_id": null })));
    }
    let send = Send { message, platform: Some(platform), reply_to: None };
    send::send(cx, reply.account_id, &send).await
}

/// Song that plays, for a response that shows it. A reply does not fail for it.
async fn song(cx: &Cx, account: AccountId, reply: &CommandReply) -> Option<String> {
    if !response::shows_song(reply) {
        return None;
    }
    music::song(&cx.state().redis, account).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the song of a reply cannot be read");
        None
    })
}

/// Adds a run of the automation from its trigger for the command. Workers execute it.
async fn start_automation(
    cx: &Cx,
    command: &Command,
    reply: &CommandReply,
) -> Result<Result<Value, Refusal>> {
    let refuse = |why: &str| Ok(Err(Refusal::new(ActionErrorCode::NotSupported, why)));
    let Some(automation) = reply.automation_id else {
        return refuse("the automation of the command was deleted");
    };
    let mut connection = cx.state().system(SystemReason::HandlerAction).db().await?;
    let platform = &reply.platform;
    let node =
        starts::node_of_command(&mut connection, reply.account_id, automation, &command.name, platform);
    let Some(node) = node.await? else {
        return refuse("the automation of the command has no trigger for it");
    };
    let user = starts::user(Some(platform), Some(&reply.user_id), None, Some(&reply.user_name), &[]);
    let payload = json!({
        "command_id": command.id,
        "command": command.name,
        "platform": platform,
        "message_id": reply.message_id,
        "user_id": reply.user_id,
        "user_name": reply.user_name,
        "arguments": reply.arguments,
        "user": user,
    });
    let run = NewRun {
        account: reply.account_id,
        automation,
        trigger: starts::trigger_value(node.node_id, node.trigger.type_name(), payload),
        context: starts::context(Value::Null, user),
        dedupe_key: format!("command:{}", reply.event_id),
        depth: 0,
        parent_run_id: None,
        is_test: false,
        now: cx.state().clock.now(),
    };
    match runs::start(&mut connection, run).await? {
        Some(run) => Ok(Ok(json!({ "run_id": run.id, "status": run.status }))),
        None => refuse("the automation of the command is switched off"),
    }
}
