//! Chat messages of a bot.

use api_core::{Cx, Result};
use serde_json::{Value, json};
use shared::{
    ingest::{Line, OwnMessages},
    platforms::{ChatMessage, Platform, SendAs},
};

use super::{ActionErrorCode, Refusal, account, db::Install, request::Send};

/// Sends a message and notes that it is our own, so that its delivery triggers no handler.
pub(super) async fn send(cx: &Cx, install: &Install, send: &Send) -> Result<Result<Value, Refusal>> {
    let mut acting = match account::acting(cx, install, send.platform).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(longest) = acting.platform.chat_message_limit()
        && send.message.chars().count() > longest
    {
        let message = format!("message must have 1 to {longest} characters");
        return Ok(Err(Refusal::new(ActionErrorCode::InvalidPayload, message)));
    }
    let own = OwnMessages::new(cx.state().redis.clone());
    // Kick chooses the sender of an application's message.
    let is_kick_bot = acting.platform == Platform::Kick && acting.credentials.send_as == SendAs::Bot;
    let channel_id = acting.channel_id.clone();
    let line = Line {
        platform: acting.platform.slug(),
        channel_id: &channel_id,
        sender_id: (!is_kick_bot).then_some(&channel_id),
        text: &send.message,
    };
    own.sending(&line).await?;
    let message = ChatMessage {
        channel_id: channel_id.clone(),
        sender_id: channel_id.clone(),
        text: send.message.clone(),
        reply_to: send.reply_to.clone(),
    };
    let client = cx.state().platforms.client(acting.platform);
    let mut sent = client.send_chat(&acting.credentials, &message).await;
    if let Err(error) = &sent {
        match acting.renew(cx, error).await? {
            Ok(true) => sent = client.send_chat(&acting.credentials, &message).await,
            Ok(false) => {}
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    match sent {
        Ok(sent) => {
            note_sent(&own, &line, sent.message_id.as_deref()).await;
            Ok(Ok(json!({ "platform": acting.platform, "message_id": sent.message_id })))
        }
        Err(error) => Ok(Err(acting.refusal(cx, &error).await)),
    }
}

async fn note_sent(own: &OwnMessages, line: &Line<'_>, message_id: Option<&str>) {
    let Some(message_id) = message_id else { return };
    if let Err(error) = own.sent(line, message_id).await {
        // The note of its text still stands for as long as a prompt delivery takes.
        tracing::warn!(platform = line.platform, %error, "a sent message could not be noted as our own");
    }
}
