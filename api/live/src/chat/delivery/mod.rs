//! Delivery of chat messages: the only path to a platform's chat (reference/chat.md#sending).

use api_core::{Cx, Result, http::metering};
use live_model::{Line, OwnMessages};
use platform_access::PlatformAccess as _;
use platforms::{ChatMessage, SendAs, SentMessage};
use shared::platform::Platform;
use usage_model::{Consumer, Counter, Metered, Unit};
use uuid::Uuid;

use super::acting::{Acting, Obstacle};
use crate::pace::Paced;

/// Message to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outgoing<'a> {
    /// Text of the message.
    pub text: &'a str,
    /// The platform's id of the message to reply to.
    pub reply_to: Option<&'a str>,
    /// True for a message of a bot: when the platform delivers it back, it triggers no handler.
    pub is_own: bool,
    /// Install that sends it; `None` for others.
    pub install: Option<Uuid>,
}

/// Sends a message within the platform's length and the account's pace.
///
/// # Errors
/// An error when Redis or the database fails. Nothing was sent then.
pub(crate) async fn deliver(
    cx: &Cx,
    account: Uuid,
    acting: &mut Acting,
    message: &Outgoing<'_>,
) -> Result<Result<SentMessage, Obstacle>> {
    let max = acting.platform.chat_message_limit().unwrap_or(0);
    if message.text.chars().count() > max {
        return Ok(Err(Obstacle::TooLong { max }));
    }
    let channel_id = match acting.chat_id(cx, None).await? {
        Ok(channel_id) => channel_id,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    let of = format!("{}:{account}", acting.platform);
    let metered = metered(cx, account, message);
    if let Some(stop) = metered.stop(Unit::Messages) {
        return Ok(Err(Obstacle::BudgetReached(stop)));
    }
    if let Err(too_fast) = Paced::Messages.take(cx.state(), &of).await? {
        return Ok(Err(Obstacle::TooFast(too_fast)));
    }
    let chat_message = ChatMessage {
        channel_id,
        sender_id: acting.actor_id.clone(),
        text: message.text.to_owned(),
        reply_to: message.reply_to.map(str::to_owned),
    };
    let counted = metered.count(Counter::Messages);
    // Before the platform is asked: a kill leaves no message without its count (reference/usage.md#counting).
    counted.stored().await;
    let sent = if message.is_own {
        send_as_own(cx, acting, &chat_message).await
    } else {
        send(cx, acting, &chat_message).await
    };
    if !may_be_accepted(&sent) {
        metered.take_back(&counted).stored().await;
    }
    sent
}

/// False when the platform certainly has not accepted the message. An error of the server comes before the call, or
/// after a refused token.
fn may_be_accepted(sent: &Result<Result<SentMessage, Obstacle>>) -> bool {
    match sent {
        Ok(Ok(_)) => true,
        Ok(Err(obstacle)) => !obstacle.is_without_effect(),
        Err(_) => false,
    }
}

/// Meter of a message: that of its install, else of the caller's key, else of the account
/// (reference/usage.md#messages).
fn metered(cx: &Cx, account: Uuid, message: &Outgoing<'_>) -> Metered {
    let of_caller = metering::consumer(cx.principal()).filter(|consumer| consumer.account_id == account);
    let consumer = match message.install {
        Some(install) => Consumer::install(account, install),
        None => of_caller.unwrap_or(Consumer::account(account)),
    };
    let state = cx.state();
    Metered::new(state.meter.clone(), state.stops.clone(), consumer)
}

async fn send(cx: &Cx, acting: &mut Acting, message: &ChatMessage) -> Result<Result<SentMessage, Obstacle>> {
    let client = cx.state().platforms().client(acting.platform);
    acting.call(cx, |credentials| async move { client.send_chat(&credentials, message).await }).await
}

/// Records the message as an own one before the platform can deliver it back.
async fn send_as_own(
    cx: &Cx,
    acting: &mut Acting,
    message: &ChatMessage,
) -> Result<Result<SentMessage, Obstacle>> {
    let own = OwnMessages::new(cx.state().redis.clone());
    // Kick chooses the sender of an application's message.
    let is_kick_bot = acting.platform == Platform::Kick && acting.credentials.send_as == SendAs::Bot;
    let (channel_id, actor_id) = (acting.channel_id.clone(), acting.actor_id.clone());
    let line = Line {
        platform: acting.platform.slug(),
        channel_id: &channel_id,
        sender_id: (!is_kick_bot).then_some(&actor_id),
        text: &message.text,
    };
    own.sending(&line).await?;
    let sent = send(cx, acting, message).await?;
    if let Ok(SentMessage { message_id: Some(message_id) }) = &sent
        && let Err(error) = own.sent(&line, message_id).await
    {
        // The record of its text stays valid for the time of a prompt delivery.
        tracing::warn!(platform = line.platform, %error, "a sent message could not be recorded as our own");
    }
    Ok(sent)
}
