//! Bans, time-outs and removals of messages by extensions.

use api_core::{Cx, Result};
use extension_model::actions::{ActionKind, Moderate};
use foundation::audit::Actor;
use serde_json::{Value, json};

use super::{Refusal, db::Install};
use crate::chat::{
    acting::As,
    moderation::{ModerationLogAction, Order, execute},
};

/// Executes a moderation action in the name of the account's bot.
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
            ActionKind::ChatDelete => ModerationLogAction::Delete,
            ActionKind::ChatUnban => ModerationLogAction::Unban,
            ActionKind::ChatTimeout => ModerationLogAction::Timeout,
            _ => ModerationLogAction::Ban,
        },
        target: action.target_id.clone(),
        duration_secs: action.duration_secs,
        reason: action.reason.clone(),
        live_chat_id: None,
        moderator: Actor::Extension(install.id),
        ip: None,
    };
    let done = execute(cx, &order).await?;
    Ok(done.map(|platform| json!({ "platform": platform })).map_err(Refusal::from))
}
