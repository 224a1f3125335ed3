//! Subscriptions to deliveries of a connected channel: one for every kind of event that the ingest daemon
//! understands.

use apalis::prelude::BoxDynError;
use connection_model::applications::{self, Pin, Pinned};
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::{
    PlatformError,
    kick::KickSubscription,
    twitch::{EventSubTopic, NewEventSubSubscription},
};
use shared::connection::OAuthApp;
use shared::{config::EventSubTransport, platform::Platform, secret::Secret};
use url::Url;
use uuid::Uuid;

use crate::sources::wake;

use super::{
    Connections,
    db::{self, Channel, Subscription},
    directory,
};

/// Event types that are requested from Kick, each in version 1.
const KICK_EVENTS: [&str; 7] = [
    "chat.message.sent",
    "channel.followed",
    "channel.subscription.new",
    "channel.subscription.renewal",
    "channel.subscription.gifts",
    "livestream.status.updated",
    "moderation.banned",
];

/// Subscribes to every event type that the platform of a channel does not deliver yet. A run that fails
/// half-way keeps the subscriptions that it made.
///
/// # Errors
/// Failures of the database or the platform: the job is tried again.
pub(super) async fn subscribe(data: &Connections, connection_id: Uuid) -> Result<(), BoxDynError> {
    let postgres = &data.context.databases.postgres;
    let channel = db::channel(&mut *postgres.get().await?, connection_id).await?;
    // Disconnected meanwhile, or to be reconnected first, which subscribes again.
    let Some(channel) = channel.filter(|channel| !channel.reconnect_required) else { return Ok(()) };
    match channel.platform.parse() {
        Ok(Platform::Twitch) => twitch(data, &channel).await,
        Ok(Platform::Kick) => kick(data, &channel).await,
        // Channels of the other platforms are read by daemons of their own (reference/ingest.md#sources).
        Ok(platform) => Ok(wake(&data.context.redis, platform, &channel.platform_channel_id).await?),
        Err(_unknown) => Ok(()),
    }
}

async fn twitch(data: &Connections, channel: &Channel) -> Result<(), BoxDynError> {
    let context = &data.context;
    if context.config.ingest.twitch_transport == EventSubTransport::Websocket {
        // The daemon that holds the channel's socket subscribes.
        return Ok(wake(&context.redis, Platform::Twitch, &channel.platform_channel_id).await?);
    }
    let Some(secret) = &context.config.platforms.twitch_eventsub_secret else {
        tracing::warn!("LUMIO_TWITCH_EVENTSUB_SECRET is not set: no subscription is requested from Twitch");
        return Ok(());
    };
    let Some(application) = application(data, channel).await? else { return Ok(()) };
    let callback = callback(&context.config.http.public_url)?;
    let token = app_token(data, &application).await?;
    for topic in EventSubTopic::all_of(&channel.platform_channel_id) {
        let event_type = topic.subscription_type();
        if channel.has(event_type) {
            continue;
        }
        let wanted = NewEventSubSubscription { topic, callback: callback.clone(), secret: secret.clone() };
        let twitch = context.platforms.twitch();
        let made = twitch.create_eventsub_subscription_of(&application.client_id, &token, &wanted).await;
        let (subscription, outcome) = match made {
            Ok(made) => (Subscription::made(event_type, Some(made.id)), "made"),
            Err(PlatformError::Conflict { .. }) => (Subscription::made(event_type, None), "known"),
            Err(PlatformError::Rejected { message }) => {
                tracing::info!(connection_id = %channel.id, event_type, message, "Twitch refused a subscription");
                (Subscription::refused(event_type, message), "refused")
            }
            Err(error) => {
                if error == PlatformError::Unauthorized {
                    context.platforms.forget_app_token(Platform::Twitch, &token).await;
                }
                return Err(error.into());
            }
        };
        if !remember(data, channel, &subscription, outcome).await? {
            // No later job would end the subscription that was just made.
            if let Some(id) = subscription.id() {
                twitch.delete_eventsub_subscription(&application.client_id, &token, id).await?;
            }
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the application that the channel was connected with: only it may read there.
async fn application(data: &Connections, channel: &Channel) -> Result<Option<OAuthApp>, BoxDynError> {
    let context = &data.context;
    let pin = Pin {
        platform: channel.platform()?,
        account: Some(channel.account_id),
        source: channel.source()?,
        app: channel.app()?,
        client_id: channel.client_id.clone(),
    };
    let mut connection = context.databases.postgres.get().await?;
    Ok(match applications::pinned(&mut connection, directory(context), &pin).await? {
        Pinned::Application(application) => Some(application),
        Pinned::Absent => return Err("the application of a channel is not configured".into()),
        Pinned::Gone | Pinned::Undecryptable => {
            tracing::info!(connection_id = %channel.id, "the application of a channel cannot be used");
            None
        }
    })
}

/// Returns a token of the application. That of the configured one is cached.
async fn app_token(data: &Connections, application: &OAuthApp) -> Result<Secret, BoxDynError> {
    let platforms = &data.context.platforms;
    let configured = data.context.config.platforms.twitch.client_id.as_deref();
    if configured == Some(application.client_id.as_str()) {
        return Ok(platforms.app_token(Platform::Twitch).await?);
    }
    Ok(platforms.twitch().app_token_of(application).await?.access_token)
}

fn callback(public_url: &Url) -> Result<Url, BoxDynError> {
    let base = public_url.as_str().trim_end_matches('/');
    Ok(Url::parse(&format!("{base}/v1/webhooks/twitch"))?)
}

/// Subscribes on Kick with the channel's own token. The callback address is a setting of the application
/// there.
async fn kick(data: &Connections, channel: &Channel) -> Result<(), BoxDynError> {
    let wanted: Vec<&str> = KICK_EVENTS.into_iter().filter(|event| !channel.has(event)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let (client, broadcaster) = (data.context.platforms.kick(), channel.platform_channel_id.as_str());
    let asked = &wanted;
    let made = data
        .context
        .tokens
        .call(Holder::Channel(channel.id), |access| async move {
            client.create_event_subscriptions(&access.token, broadcaster, asked).await
        })
        .await;
    match made {
        Ok(rows) => {
            let mut forgotten = Vec::new();
            for row in rows {
                let outcome = if row.subscription_id.is_some() { "made" } else { "refused" };
                let subscription = from_kick(row);
                if !remember(data, channel, &subscription, outcome).await? {
                    forgotten.extend(subscription.id().cloned());
                }
            }
            end_at_kick(data, channel, &forgotten).await
        }
        // Connecting the channel again subscribes again.
        Err(Unavailable::Missing | Unavailable::ReconnectRequired) => Ok(()),
        Err(Unavailable::Platform(PlatformError::Rejected { message })) => {
            tracing::info!(connection_id = %channel.id, message, "Kick refused subscriptions");
            for event in wanted {
                remember(data, channel, &Subscription::refused(event, message.clone()), "refused").await?;
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Ends subscriptions that were made for a channel that is no longer connected.
async fn end_at_kick(data: &Connections, channel: &Channel, ids: &[String]) -> Result<(), BoxDynError> {
    if ids.is_empty() {
        return Ok(());
    }
    let Some(application) = application(data, channel).await? else { return Ok(()) };
    let kick = data.context.platforms.kick();
    let token = kick.app_token_of(&application).await?.access_token;
    Ok(kick.delete_event_subscriptions(&token, ids).await?)
}

fn from_kick(row: KickSubscription) -> Subscription {
    match row.subscription_id {
        Some(id) => Subscription::made(&row.name, Some(id)),
        None => Subscription::refused(&row.name, row.error.unwrap_or_else(|| "refused".to_owned())),
    }
}

async fn remember(
    data: &Connections,
    channel: &Channel,
    subscription: &Subscription,
    outcome: &str,
) -> Result<bool, BoxDynError> {
    let context = &data.context;
    let mut connection = context.databases.postgres.get().await?;
    data.subscriptions.with_label_values(&[channel.platform.as_str(), outcome]).inc();
    Ok(db::remember(&mut connection, channel, subscription, context.clock.now()).await?)
}
