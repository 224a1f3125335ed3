//! Bans, time-outs and removed messages by extensions, and what follows from them (B §4.7 rule 3).

use std::time::Duration;

use api_core::{Cx, Result, State};
use serde_json::{Value, json};
use shared::{
    audit::{Actor, Entry, Scope},
    events::{Channel, Event},
    ingest::{Removal, RemovalAction, Removals},
    platforms::{Ban, ModeratedChannel, Platform},
};

use super::{
    ActionErrorCode, ExtensionActionResult, Refusal,
    account::{self, Acting},
    db::Install,
    request::{Action, Kind, Moderate},
};

/// Carries a moderation action out.
pub(super) async fn moderate(
    cx: &Cx,
    install: &Install,
    action: &Moderate,
) -> Result<Result<Value, Refusal>> {
    let mut acting = match account::acting(cx, install, action.platform).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if action.kind != Kind::ChatDelete && action.target_id == acting.channel_id {
        return Ok(Err(Refusal::new(ActionErrorCode::Forbidden, "the channel's owner cannot be moderated")));
    }
    let mut done = call(cx, &acting, action).await;
    if let Err(error) = &done {
        match acting.renew(cx, error).await? {
            Ok(true) => done = call(cx, &acting, action).await,
            Ok(false) => {}
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    if let Err(error) = done {
        return Ok(Err(acting.refusal(cx, &error).await));
    }
    if let Err(error) = tell(cx.state(), install, acting.platform, action).await {
        // The platform has done it; open chats learn of it when they load again.
        tracing::warn!(install_id = %install.id, %error, "a moderation action could not be told to the chat");
    }
    Ok(Ok(json!({ "platform": acting.platform })))
}

async fn call(cx: &Cx, acting: &Acting, action: &Moderate) -> shared::platforms::Result<()> {
    let channel =
        ModeratedChannel { channel_id: acting.channel_id.clone(), moderator_id: acting.channel_id.clone() };
    let (client, credentials) = (cx.state().platforms.client(acting.platform), &acting.credentials);
    match action.kind {
        Kind::ChatDelete => client.delete_message(credentials, &channel, &action.target_id).await,
        Kind::ChatUnban => client.unban_user(credentials, &channel, &action.target_id).await,
        _ => {
            let ban = Ban {
                user_id: action.target_id.clone(),
                duration: action.duration_secs.map(|secs| Duration::from_secs(secs.into())),
                reason: action.reason.clone(),
            };
            client.ban_user(credentials, &channel, &ban).await
        }
    }
}

/// Marks what was removed and tells whoever shows the chat (C §11.5).
async fn tell(state: &State, install: &Install, platform: Platform, action: &Moderate) -> Result<()> {
    let everything_of_the_target = |why, duration_secs| Removal::User {
        platform_user_id: action.target_id.clone(),
        action: why,
        duration_secs,
        moderator_id: None,
    };
    let removal = match action.kind {
        Kind::ChatDelete => Removal::Message { message_id: action.target_id.clone() },
        Kind::ChatBan => everything_of_the_target(RemovalAction::Ban, None),
        Kind::ChatTimeout => everything_of_the_target(RemovalAction::Timeout, action.duration_secs),
        _ => return Ok(()),
    };
    let data = removal.data(platform.slug());
    let now = state.clock.now();
    let event = Event::new(Channel::Chat(install.account_id), removal.event_type(), data, now);
    state.events.append(&event).await?;
    Removals::new(state.redis.clone()).note(install.account_id, platform.slug(), &removal, now).await?;
    removal.mark(&mut *state.databases.timescaledb.get().await?, install.account_id, platform.slug()).await?;
    Ok(())
}

/// The entry of a moderation action in the account's audit trail, also of one that failed.
pub(super) fn audit_entry(
    install: &Install,
    action: &Action,
    outcome: &ExtensionActionResult,
) -> Option<Entry<'static>> {
    let Action::Moderate(moderate) = action else { return None };
    Some(Entry {
        scope: Scope::Account(install.account_id),
        actor: Actor::Extension(install.id),
        action: past(moderate.kind),
        resource_type: if moderate.kind == Kind::ChatDelete { "chat_message" } else { "chat_user" },
        resource_id: Some(moderate.target_id.clone()),
        metadata: json!({
            "platform": moderate.platform,
            "reason": moderate.reason,
            "duration_secs": moderate.duration_secs,
            "success": outcome.ok,
            "error_code": outcome.error_code,
        }),
        ip: None,
    })
}

/// What the trail calls a moderation action (C §14).
const fn past(kind: Kind) -> &'static str {
    match kind {
        Kind::ChatDelete => "chat:message_deleted",
        Kind::ChatBan => "chat:user_banned",
        Kind::ChatUnban => "chat:user_unbanned",
        Kind::ChatTimeout => "chat:user_timed_out",
        other => other.as_str(),
    }
}
