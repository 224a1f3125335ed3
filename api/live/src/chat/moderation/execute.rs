//! One attempt to moderate, for every kind of caller: done on the platform, logged, audited and published
//! (reference/chat.md#moderation).

use platform_access::PlatformAccess as _;
use std::time::Duration;

use api_core::{ApiError, Cx, Result, State, access::SystemReason};
use diesel_async::AsyncConnection;
use foundation::{
    audit::{self, Entry, Scope},
    events::{Channel, Event, Removal, RemovalAction},
    jobs::MarkRemoval,
    outbox,
};
use live_model::Removals;
use platforms::{Ban, Banned, ChatCredentials, ModeratedChannel, PlatformClient, PlatformError};
use serde_json::json;
use shared::platform::Platform;
use uuid::Uuid;

use super::{ModerationLogAction, db, order::Order, target};
use crate::{
    chat::acting::{Acting, Obstacle, acting},
    pace::{Paced, TooFast},
};

/// Result of the platform.
struct Done {
    platform: Platform,
    /// The platform's id of the acting user.
    moderator_id: String,
    banned: Banned,
}

/// Order after its checks.
struct Ready {
    acting: Acting,
    /// The platform's id of the author of a deleted message.
    author_id: Option<String>,
}

/// Executes an order. Its row is written before and its outcome after it, so that an attempt is logged even
/// when the process dies meanwhile. Of the orders beyond the pace the first in 30 seconds is logged as a
/// failure; the others are only counted, because rows without bound must not exist. Call it as an own task.
///
/// # Errors
/// An error when a database or Redis fails.
pub(crate) async fn execute(cx: &Cx, order: &Order) -> Result<Result<Platform, Obstacle>> {
    let state = cx.state();
    let ready = match make_ready(cx, order).await {
        Ok(Err(obstacle @ Obstacle::TooFast(TooFast { is_first: false, .. }))) => {
            count_unlogged(state);
            return Ok(Err(obstacle));
        }
        ready => ready,
    };
    let author_id = match &ready {
        Ok(Ok(ready)) => ready.author_id.clone(),
        _ if order.action == ModerationLogAction::Delete && order.reason.is_some() => {
            target::author_among_the_latest(cx, order.account, order.platform, &order.target).await
        }
        _ => None,
    };
    let now = state.clock.now();
    let id =
        db::begin(&mut *state.system(SystemReason::Moderation).db().await?, order, author_id.as_deref(), now)
            .await?;
    let outcome = match ready {
        Ok(Ok(ready)) => attempt(cx, order, ready.acting).await,
        Ok(Err(obstacle)) => Ok(Err(obstacle)),
        Err(error) => Err(error),
    };
    let removal = match &outcome {
        Ok(Ok(done)) => removal(state, order, done),
        _ => None,
    };
    let entry = entry(order, author_id.as_deref());
    let settled = settle(state, id, order, entry, &outcome, removal.as_ref()).await;
    let done = match outcome? {
        Ok(done) => done,
        Err(obstacle) => return settled.map(|()| Err(obstacle)),
    };
    if let Err(error) = settled {
        // The effect happened and must not be repeated; the row continues to state an unknown outcome.
        tracing::error!(account_id = %order.account, %error, "the outcome of a moderation action could not be stored");
    }
    if let Some(removal) = &removal
        && let Err(error) = publish(state, removal).await
    {
        tracing::warn!(account_id = %order.account, %error, "a moderation action is published to the chat later");
    }
    Ok(Ok(done.platform))
}

/// Checks before the first call to the platform. The pace comes first, so that it also covers orders that
/// fail.
async fn make_ready(cx: &Cx, order: &Order) -> Result<Result<Ready, Obstacle>> {
    if let Some(platform) = order.platform {
        if let Err(obstacle) = keep_pace(cx.state(), order.account, platform.slug()).await {
            return Ok(Err(obstacle));
        }
        if let Err(obstacle) = must_be_supported(platform, order.action) {
            return Ok(Err(obstacle));
        }
    }
    let found = acting(cx, order.account, order.platform, order.who).await?;
    if order.platform.is_none() {
        let named = found.as_ref().map_or("none", |acting| acting.platform.slug());
        if let Err(obstacle) = keep_pace(cx.state(), order.account, named).await {
            return Ok(Err(obstacle));
        }
    }
    let acting = match found {
        Ok(acting) => acting,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    if let Err(obstacle) = must_be_supported(acting.platform, order.action) {
        return Ok(Err(obstacle));
    }
    if order.action != ModerationLogAction::Delete {
        let is_own = order.target == acting.channel_id;
        return Ok(if is_own { Err(Obstacle::OwnChannel) } else { Ok(Ready { acting, author_id: None }) });
    }
    let author_id = target::author_in_own_chat(cx, order.account, &acting, &order.target).await?;
    let ready = author_id.map(|author_id| Ready { acting, author_id: Some(author_id) });
    Ok(ready.ok_or(Obstacle::UnknownMessage))
}

async fn attempt(cx: &Cx, order: &Order, mut acting: Acting) -> Result<Result<Done, Obstacle>> {
    let (channel, username) = match locate(cx, order, &acting).await? {
        Ok(found) => found,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    let client = cx.state().platforms().client(acting.platform);
    let (channel, username) = (&channel, &username);
    let done = acting
        .call(cx, |credentials| async move {
            on_the_platform(client, &credentials, channel, username.as_deref(), order).await
        })
        .await?;
    Ok(done.map(|banned| Done { platform: acting.platform, moderator_id: acting.actor_id, banned }))
}

/// Counts the order against the pace. Without Redis nothing is counted: a chat must not be without moderators
/// because of it.
async fn keep_pace(state: &State, account: Uuid, platform: &str) -> Result<(), Obstacle> {
    match Paced::Moderation.take(state, &format!("{platform}:{account}")).await {
        Ok(kept) => kept.map_err(Obstacle::TooFast),
        Err(error) => {
            tracing::warn!(%error, "moderation actions cannot be counted for the rate limit");
            Ok(())
        }
    }
}

/// Counts an attempt that leaves no row.
fn count_unlogged(state: &State) {
    let help = "Moderation attempts beyond the rate limit that were not logged.";
    match state.metrics.counters("lumio_moderation_unlogged_total", help, &[]) {
        Ok(counter) => counter.with_label_values::<&str>(&[]).inc(),
        Err(error) => tracing::error!(%error, "unlogged moderation attempts cannot be counted"),
    }
}

/// Checks that the platform has the action (reference/chat.md#supported-actions).
fn must_be_supported(platform: Platform, action: ModerationLogAction) -> Result<(), Obstacle> {
    use ModerationLogAction as Action;
    let is_supported = match platform {
        Platform::Twitch => true,
        Platform::Youtube => action != Action::Unban,
        Platform::Kick => action == Action::Delete,
        Platform::Trovo => action == Action::Ban,
        Platform::Spotify | Platform::Discord => false,
    };
    if is_supported { Ok(()) } else { Err(Obstacle::Unsupported { action: action.as_str(), platform }) }
}

/// Channel of the order, and the name of the target where the platform needs it.
async fn locate(
    cx: &Cx,
    order: &Order,
    acting: &Acting,
) -> Result<Result<(ModeratedChannel, Option<String>), Obstacle>> {
    let is_chat_named = order.action != ModerationLogAction::Delete;
    let channel_id = if is_chat_named {
        match acting.chat_id(cx, order.live_chat_id.as_deref()).await? {
            Ok(chat_id) => chat_id,
            Err(obstacle) => return Ok(Err(obstacle)),
        }
    } else {
        acting.channel_id.clone()
    };
    let username = if acting.platform == Platform::Trovo {
        target::name_of_chatter(cx, order.account, acting.platform, &order.target).await?
    } else {
        None
    };
    Ok(Ok((ModeratedChannel { channel_id, moderator_id: acting.actor_id.clone() }, username)))
}

async fn on_the_platform(
    client: &dyn PlatformClient,
    credentials: &ChatCredentials,
    channel: &ModeratedChannel,
    username: Option<&str>,
    order: &Order,
) -> Result<Banned, PlatformError> {
    match order.action {
        ModerationLogAction::Delete => {
            client.delete_message(credentials, channel, &order.target).await.map(|()| Banned::default())
        }
        ModerationLogAction::Unban => {
            client.unban_user(credentials, channel, &order.target).await.map(|()| Banned::default())
        }
        ModerationLogAction::Ban | ModerationLogAction::Timeout => {
            let ban = Ban {
                user_id: order.target.clone(),
                username: username.map(str::to_owned),
                duration: order.duration_secs.map(|secs| Duration::from_secs(secs.into())),
                reason: order.reason.clone(),
            };
            client.ban_user(credentials, channel, &ban).await
        }
    }
}

/// Entry in the audit log without the outcome.
fn entry(order: &Order, author_id: Option<&str>) -> Entry<'static> {
    let mut metadata = json!({ "reason": order.reason, "duration_secs": order.duration_secs });
    if let Some(author_id) = author_id {
        metadata["author_id"] = json!(author_id);
    }
    Entry {
        scope: Scope::Account(order.account),
        actor: order.moderator,
        action: order.action.past(),
        resource_type: if order.action == ModerationLogAction::Delete { "chat_message" } else { "chat_user" },
        resource_id: Some(order.target.clone()),
        metadata,
        ip: order.ip.clone(),
    }
}

/// Writes the outcome, the entry in the audit log, and the job for the removal.
async fn settle(
    state: &State,
    id: Uuid,
    order: &Order,
    mut entry: Entry<'_>,
    outcome: &Result<Result<Done, Obstacle>>,
    removal: Option<&MarkRemoval>,
) -> Result<()> {
    let settled = match outcome {
        Ok(Ok(done)) => db::Settled {
            platform: Some(done.platform),
            details: None,
            ban_id: done.banned.ban_id.as_deref(),
        },
        Ok(Err(obstacle)) => {
            db::Settled { platform: order.platform, details: Some(obstacle.to_string()), ban_id: None }
        }
        Err(_) => {
            db::Settled { platform: order.platform, details: Some(db::UNKNOWN.to_owned()), ban_id: None }
        }
    };
    entry.metadata["platform"] = json!(settled.platform);
    entry.metadata["success"] = json!(settled.details.is_none());
    entry.metadata["details"] = json!(settled.details);
    state
        .system(SystemReason::Moderation)
        .db()
        .await?
        .transaction(async |connection| {
            db::settle(connection, order.account, id, &settled).await?;
            audit::record(connection, entry).await?;
            if let Some(removal) = removal {
                outbox::add(connection, removal, &format!("removal:{}", removal.event.id)).await?;
            }
            Ok::<_, ApiError>(())
        })
        .await
}

/// Removal by the action, with the event that publishes it (reference/chat.md#removed-messages).
fn removal(state: &State, order: &Order, done: &Done) -> Option<MarkRemoval> {
    let everything_of_the_target = |action| Removal::User {
        platform_user_id: order.target.clone(),
        action,
        duration_secs: order.duration_secs,
        moderator_platform_user_id: Some(done.moderator_id.clone()),
        moderator_user_id: order.moderator.user(),
    };
    let removal = match order.action {
        ModerationLogAction::Delete => Removal::Message { message_id: order.target.clone() },
        ModerationLogAction::Ban => everything_of_the_target(RemovalAction::Ban),
        ModerationLogAction::Timeout => everything_of_the_target(RemovalAction::Timeout),
        ModerationLogAction::Unban => return None,
    };
    let (platform, now) = (done.platform.slug(), state.clock.now());
    let event = Event::new(Channel::Chat(order.account), removal.event_type(), removal.data(platform), now);
    let (account_id, platform) = (order.account, platform.to_owned());
    Some(MarkRemoval { account_id, platform, removal, event, is_published: false })
}

/// Records the removal, publishes it and marks the rows, without a wait for the job that does the same.
async fn publish(state: &State, job: &MarkRemoval) -> Result<()> {
    let MarkRemoval { account_id, platform, removal, event, is_published: _ } = job;
    Removals::new(state.redis.clone()).note(*account_id, platform, removal, event.timestamp).await?;
    state.events.append(event).await?;
    let mut timeseries = state.system(SystemReason::Moderation).timeseries().await?;
    live_model::mark_removal(removal, &mut timeseries, *account_id, platform, event.timestamp).await?;
    Ok(())
}
