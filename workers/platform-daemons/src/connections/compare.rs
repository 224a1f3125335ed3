//! Hourly comparison with the subscriptions that platforms report, because platforms may drop subscriptions
//! without notice (reference/platforms.md#kick-subscriptions).
//!
//! Any number of copies run: one of them adds the jobs of an hour, spread so that a platform is not queried
//! about all channels at once.

use std::{collections::HashSet, time::Duration};

use apalis::prelude::{BoxDynError, Data};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::{jobs::CompareSubscriptions, lease::Lease};
use platform_credentials::tokens::{Holder, Unavailable};
use queue::EnqueueOptions;
use shared::{Result, platform::Platform, schema::channel_connections};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Connections, db, subscribe};
use crate::PlatformContext;

/// Interval between comparisons of a channel.
const COMPARE_INTERVAL: Duration = Duration::from_secs(3600);
/// Interval at which a copy checks whether the comparison is due.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Delay between the jobs of two channels.
const JOB_SPACING: Duration = Duration::from_millis(100);
/// Maximum time over which the jobs of an hour are spread, so that they end before the next hour begins.
const MAX_TOTAL_SPACING: Duration = Duration::from_secs(3000);
/// Number of channels of one page.
const PAGE_SIZE: i64 = 1000;
/// Maximum number of pages of one comparison.
const MAX_PAGES: usize = 100;

/// Adds the jobs of every hour until `shutdown` is cancelled.
pub(super) async fn run(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = add_jobs(&context).await {
            tracing::warn!(%error, "subscriptions cannot be compared yet");
        }
    }
    Ok(())
}

/// Adds a job for every channel, if the comparison is due.
async fn add_jobs(context: &PlatformContext) -> Result<()> {
    let holder = shared::id::new();
    if !is_time(context, holder).await? {
        return Ok(());
    }
    let producer = context.producer::<CompareSubscriptions>()?;
    let (mut after, mut delay) = (Uuid::nil(), Duration::ZERO);
    for _ in 0..MAX_PAGES {
        let page = channels(context, after).await?;
        let Some(last) = page.last() else { break };
        after = *last;
        let jobs: Vec<CompareSubscriptions> =
            page.iter().map(|id| CompareSubscriptions { connection_id: *id }).collect();
        let keyed = jobs.iter().map(|job| {
            let options = EnqueueOptions::new().key(format!("{holder}:{}", job.connection_id)).delay(delay);
            delay = (delay + JOB_SPACING).min(MAX_TOTAL_SPACING);
            (job, options)
        });
        producer.enqueue_bulk(keyed).await?;
    }
    Ok(())
}

/// True when this copy is the one that adds the jobs of this hour.
async fn is_time(context: &PlatformContext, holder: Uuid) -> Result<bool> {
    let key = context.redis.key("subscriptions:turn");
    Ok(Lease::take(&context.redis, key, &holder, COMPARE_INTERVAL).await?.is_some())
}

/// Returns channels of Kick whose tokens work, also those without recorded subscriptions: Kick may have
/// dropped all, and subscribing again may have failed. Twitch reports the subscriptions that it ends.
async fn channels(context: &PlatformContext, after: Uuid) -> Result<Vec<Uuid>> {
    Ok(channel_connections::table
        .filter(channel_connections::platform.eq(Platform::Kick.slug()))
        .filter(channel_connections::reconnect_required.eq(false).and(channel_connections::id.gt(after)))
        .order(channel_connections::id)
        .limit(PAGE_SIZE)
        .select(channel_connections::id)
        .load(&mut *context.databases.postgres.get().await?)
        .await?)
}

/// Subscribes again to events that are no longer delivered.
pub(super) async fn compare(
    job: CompareSubscriptions,
    data: Data<Connections>,
) -> std::result::Result<(), BoxDynError> {
    let context = &data.context;
    let postgres = &context.databases.postgres;
    let channel = db::channel(&mut *postgres.get().await?, job.connection_id).await?;
    let Some(channel) = channel.filter(|channel| !channel.reconnect_required) else { return Ok(()) };
    // Before Kick is asked: what is recorded while it replies is not in its reply.
    let recorded = db::recorded(&mut *postgres.get().await?, channel.id).await?;
    let (client, broadcaster) = (context.platforms.kick(), channel.platform_channel_id.as_str());
    let active = context
        .tokens
        .call(Holder::Channel(channel.id), |access| async move {
            client.event_subscriptions(&access.token, broadcaster).await
        })
        .await;
    let active: HashSet<String> = match active {
        Ok(active) => active.into_iter().map(|one| one.event).collect(),
        // Connecting the channel again subscribes again.
        Err(Unavailable::Missing | Unavailable::ReconnectRequired) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let dropped: Vec<_> = recorded.into_iter().filter(|(event, _)| !active.contains(event)).collect();
    let dropped = db::forget(&mut *postgres.get().await?, channel.id, &dropped).await?;
    if dropped > 0 {
        tracing::warn!(connection_id = %channel.id, dropped, "Kick dropped subscriptions: they are created again");
        let counter = data.subscriptions.with_label_values(&[Platform::Kick.slug(), "dropped"]);
        counter.inc_by(dropped as u64);
    }
    subscribe::subscribe(&data, channel.id).await
}
