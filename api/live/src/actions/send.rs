//! Chat messages of a bot.

use api_core::{Cx, Result};
use extension_model::actions::Send;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Refusal;
use crate::chat::{
    acting::{As, acting},
    delivery::{Outgoing, deliver},
};

/// Sends a message in the name of the account's bot. Its delivery triggers no handler.
pub(super) async fn send(cx: &Cx, account: Uuid, send: &Send) -> Result<Result<Value, Refusal>> {
    send_for(cx, account, None, send).await
}

/// Sends such a message for an install, if one is given.
pub(super) async fn send_for(
    cx: &Cx,
    account: Uuid,
    install: Option<Uuid>,
    send: &Send,
) -> Result<Result<Value, Refusal>> {
    let mut acting = match acting(cx, account, send.platform, As::Bot).await? {
        Ok(acting) => acting,
        Err(obstacle) => return Ok(Err(obstacle.into())),
    };
    let message = Outgoing { text: &send.message, reply_to: send.reply_to.as_deref(), is_own: true, install };
    let sent = deliver(cx, account, &mut acting, &message).await?;
    Ok(match sent {
        Ok(sent) => Ok(json!({ "platform": acting.platform, "message_id": sent.message_id })),
        Err(obstacle) => Err(obstacle.into()),
    })
}
