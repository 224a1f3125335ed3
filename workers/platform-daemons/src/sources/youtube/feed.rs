//! Subscription to the hub that reports new videos: requested once, and again before it ends.

use chrono::TimeDelta;
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use platforms::{
    PlatformError,
    youtube::{callback::HubCallback, live::FEED_LEASE},
};
use shared::{Result, schema::webhook_subscriptions::dsl, secret::Secret};

use super::super::Reader;

/// Name of the hub among the subscriptions of a connection.
const FEED: &str = "feed.videos";
/// Time after which a refused subscription is requested again.
const REFUSED_COOLDOWN: TimeDelta = TimeDelta::hours(1);

/// Subscribes when that is due. Broadcasts are found without the hub too, only later.
pub(super) async fn ask(reader: &Reader) {
    let Some(secret) = &reader.context.config.ingest.youtube_hub_secret else { return };
    match is_due(reader).await {
        Ok(false) => {}
        Ok(true) => {
            let refusal = subscribe(reader, secret).await.err().map(|error| error.to_string());
            if let Some(refusal) = &refusal {
                tracing::info!(connection_id = %reader.channel.connection_id, refusal, "the hub refused a subscription");
            }
            if let Err(error) = note(reader, refusal).await {
                tracing::warn!(%error, "the response of the hub cannot be recorded");
            }
        }
        Err(error) => tracing::warn!(%error, "the subscription at the hub cannot be read"),
    }
}

async fn is_due(reader: &Reader) -> Result<bool> {
    let mut connection = reader.context.databases.postgres.get().await?;
    let asked: Option<(chrono::DateTime<chrono::Utc>, Option<String>)> = dsl::webhook_subscriptions
        .find((reader.channel.connection_id, FEED))
        .select((dsl::updated_at, dsl::refusal))
        .first(&mut connection)
        .await
        .optional()?;
    let Some((asked_at, refusal)) = asked else { return Ok(true) };
    let lease = TimeDelta::from_std(FEED_LEASE).unwrap_or_default();
    let lasts = if refusal.is_some() { REFUSED_COOLDOWN } else { lease * 4 / 5 };
    Ok(reader.context.clock.now() - asked_at >= lasts)
}

async fn subscribe(reader: &Reader, secret: &Secret) -> Result<(), PlatformError> {
    let config = &reader.context.config;
    let (hub, channel_id) = (&config.ingest.youtube_hub_url, &reader.channel.channel_id);
    let callback = HubCallback::address(&config.http.public_url, channel_id, secret)
        .map_err(|error| PlatformError::Rejected { message: error.to_string() })?;
    let youtube = reader.context.platforms.youtube();
    youtube.subscribe_to_feed(hub, &callback, channel_id, secret).await
}

async fn note(reader: &Reader, refusal: Option<String>) -> Result<()> {
    let (channel, now) = (&reader.channel, reader.context.clock.now());
    let mut connection = reader.context.databases.postgres.get().await?;
    insert_into(dsl::webhook_subscriptions)
        .values((
            dsl::connection_id.eq(channel.connection_id),
            dsl::account_id.eq(channel.account_id),
            dsl::event_type.eq(FEED),
            dsl::refusal.eq(&refusal),
            dsl::updated_at.eq(now),
        ))
        .on_conflict((dsl::connection_id, dsl::event_type))
        .do_update()
        .set((dsl::refusal.eq(&refusal), dsl::updated_at.eq(now)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
