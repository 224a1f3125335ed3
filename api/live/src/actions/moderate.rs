//! Bans, time-outs and removed messages by extensions.

use api_core::{Cx, Result};
use serde_json::{Value, json};
use shared::audit::Actor;

use super::{
    Refusal,
    db::Install,
    request::{Kind, Moderate},
};
use crate::chat::{
    acting::As,
    moderation::{ModerationLogAction, Order, carry_out},
};

/// Carries a moderation action out in the name of the account's bot.
pub(super) async fn moderate(
    cx: &Cx,
    install: &Install,
    action: &Moderate,
) -> Result<Result<Value, Refusal>> {
    let order = Order {
        account: install.account_id,
        who: As::Bot,
        platform: action.platform,
        action: match action.kind {
            Kind::ChatDelete => ModerationLogAction::Delete,
            Kind::ChatUnban => ModerationLogAction::Unban,
            Kind::ChatTimeout => ModerationLogAction::Timeout,
            _ => ModerationLogAction::Ban,
        },
        target: action.target_id.clone(),
        duration_secs: action.duration_secs,
        reason: action.reason.clone(),
        live_chat_id: None,
        moderator: Actor::Extension(install.id),
        ip: None,
    };
    let done = carry_out(cx, &order).await?;
    Ok(done.map(|platform| json!({ "platform": platform })).map_err(Refusal::from))
}
