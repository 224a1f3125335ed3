//! Chat messages of a bot.

use api_core::{Cx, Result};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    Refusal,
    request::{Action, Send},
};
use crate::chat::{
    acting::{Acting, As, Obstacle, acting},
    delivery::{Outgoing, deliver},
};

/// Who sends, or what stands in the way.
pub(super) type Sender = Result<Result<Acting, Obstacle>>;

/// Finds who sends a message; `None` when the action is no message.
pub(super) async fn sender(cx: &Cx, account: Uuid, action: &Action) -> Option<Sender> {
    let Action::Send(send) = action else { return None };
    Some(acting(cx, account, send.platform, As::Bot).await)
}

/// Sends a message in the name of the account's bot, whom it looks for unless it was found already; its delivery
/// triggers no handler.
pub(super) async fn send(
    cx: &Cx,
    account: Uuid,
    send: &Send,
    found: Option<Sender>,
) -> Result<Result<Value, Refusal>> {
    let sender = match found {
        Some(found) => found?,
        None => acting(cx, account, send.platform, As::Bot).await?,
    };
    let mut acting = match sender {
        Ok(acting) => acting,
        Err(obstacle) => return Ok(Err(obstacle.into())),
    };
    let message = Outgoing { text: &send.message, reply_to: send.reply_to.as_deref(), is_own: true };
    let sent = deliver(cx, account, &mut acting, &message).await?;
    Ok(match sent {
        Ok(sent) => Ok(json!({ "platform": acting.platform, "message_id": sent.message_id })),
        Err(obstacle) => Err(obstacle.into()),
    })
}
