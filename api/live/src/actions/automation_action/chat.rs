//! Messages and moderation in the name of the account's bot.

use api_core::{Cx, Result, access::SystemReason};
use automation_model::effects::{BanUser, DeleteMessage, SendChat, TimeoutUser};
use extension_model::actions::Send;
use foundation::audit::Actor;
use serde_json::{Value, json};
use shared::platform::Platform;

use super::{
    super::{Refusal, send as bot},
    Call, Failure, Outcome, db,
};
use crate::chat::{
    acting::As,
    moderation::{ModerationLogAction, Order, execute},
};

/// Length of the reason of a moderation, in characters (reference/chat.md#input).
const MAX_REASON_LENGTH: usize = 500;
/// Length of an id of a platform, in characters (reference/chat.md#input).
const MAX_ID_LENGTH: usize = 255;

/// Sends a message to each platform, cut to the platform's length. It fails when no platform took it.
pub(super) async fn send(cx: &Cx, call: &Call, send: &SendChat) -> Result<Outcome> {
    let platforms = match send.platforms.as_slice() {
        [] => {
            let mut connection = cx.state().system(SystemReason::HandlerAction).db().await?;
            let mut connected = db::platforms(&mut connection, call.account).await?;
            connected.retain(|platform| platform.chat_message_limit().is_some());
            connected
        }
        named => named.to_vec(),
    };
    if platforms.is_empty() {
        return Ok(Err(Failure::new("The account is not connected to any platform")));
    }
    if send.message.trim().is_empty() {
        return Ok(Err(Failure::new("message must not be empty")));
    }
    let mut results = ByPlatform::default();
    for platform in platforms {
        let message = platform.cut_chat_message(send.message.trim());
        let message = Send { message, platform: Some(platform), reply_to: None };
        results.add(platform, bot::send(cx, call.account.uuid(), &message).await)?;
    }
    Ok(results.outcome("sent"))
}

/// Removes a message of the account's chat.
pub(super) async fn delete(cx: &Cx, call: &Call, delete: DeleteMessage) -> Result<Outcome> {
    let moderated = Moderated { platform: delete.platform, target: delete.message_id, reason: None };
    moderate(cx, call, moderated, ModerationLogAction::Delete, None).await
}

/// Times a user out, within the bounds of the platform.
pub(super) async fn timeout(cx: &Cx, call: &Call, timeout: TimeoutUser) -> Result<Outcome> {
    let max = timeout.platform.max_timeout_secs();
    if !(1..=max).contains(&timeout.duration_secs) {
        return Ok(Err(Failure::new(format!("duration_secs must be between 1 and {max}"))));
    }
    let moderated = Moderated { platform: timeout.platform, target: timeout.user_id, reason: timeout.reason };
    moderate(cx, call, moderated, ModerationLogAction::Timeout, Some(timeout.duration_secs)).await
}

/// Bans a user.
pub(super) async fn ban(cx: &Cx, call: &Call, ban: BanUser) -> Result<Outcome> {
    let moderated = Moderated { platform: ban.platform, target: ban.user_id, reason: ban.reason };
    moderate(cx, call, moderated, ModerationLogAction::Ban, None).await
}

struct Moderated {
    platform: Platform,
    target: String,
    reason: Option<String>,
}

async fn moderate(
    cx: &Cx,
    call: &Call,
    moderated: Moderated,
    action: ModerationLogAction,
    duration_secs: Option<u32>,
) -> Result<Outcome> {
    let Moderated { platform, target, reason } = moderated;
    let length = target.trim().chars().count();
    if length == 0 || length > MAX_ID_LENGTH || target.contains('\0') {
        let field = if action == ModerationLogAction::Delete { "message_id" } else { "user_id" };
        return Ok(Err(Failure::new(format!("{field} must have 1 to {MAX_ID_LENGTH} characters"))));
    }
    let reason: Option<String> =
        reason.map(|reason| reason.replace('\0', "").chars().take(MAX_REASON_LENGTH).collect());
    let order = Order {
        account: call.account.uuid(),
        who: As::Bot,
        platform: Some(platform),
        action,
        target: target.trim().to_owned(),
        duration_secs,
        reason: reason.filter(|reason| !reason.trim().is_empty()),
        live_chat_id: None,
        moderator: Actor::Automation(call.automation),
        ip: None,
    };
    let done = execute(cx, &order).await?;
    Ok(done
        .map(|platform| json!({ "platform": platform }))
        .map_err(|obstacle| Refusal::from(obstacle).into()))
}

/// Results of one action on several platforms.
#[derive(Default)]
pub(super) struct ByPlatform {
    done: Vec<Value>,
    failed: Vec<(Platform, Failure)>,
}

impl ByPlatform {
    /// Adds the result of a platform.
    ///
    /// # Errors
    /// A failure of the server before the first platform was called. Later it is a failure of this platform: what
    /// was done must not be repeated.
    pub fn add(&mut self, platform: Platform, result: Result<Result<Value, Refusal>>) -> Result<()> {
        match result {
            Ok(Ok(done)) => self.done.push(done),
            Ok(Err(refusal)) => self.failed.push((platform, refusal.into())),
            Err(error) if self.done.is_empty() && self.failed.is_empty() => return Err(error),
            Err(error) => {
                tracing::warn!(%platform, %error, "an action of an automation failed on one of its platforms");
                self.failed.push((platform, Failure::new("The service is not available")));
            }
        }
        Ok(())
    }

    /// Outcome with what was done under `name`; a failure when nothing was.
    pub fn outcome(self, name: &str) -> Outcome {
        let Self { done, failed } = self;
        if done.is_empty() {
            let messages: Vec<String> =
                failed.iter().map(|(platform, failure)| format!("{platform}: {}", failure.message)).collect();
            let unknown = failed.iter().any(|(_, failure)| failure.unknown);
            return Err(Failure { message: messages.join("; "), unknown });
        }
        let failed: Vec<Value> = failed
            .into_iter()
            .map(|(platform, failure)| json!({ "platform": platform, "error": failure.message }))
            .collect();
        Ok(json!({ name: done, "failed": failed }))
    }
}
