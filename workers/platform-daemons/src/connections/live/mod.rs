//! Polling of the platforms for live channels every minute (reference/connections.md#channel-status): for
//! states that no platform pushes, and for title, category and viewers of the others.
//!
//! Any number of copies may run: one of them has the lease on a platform. A round queries a bounded number of
//! channels; the next one continues after them.

mod ask;
mod classify;
mod db;
mod lease;

use std::time::Duration;

use connection_model::status::{self, Seen};
use diesel_async::AsyncConnection;
use platforms::{LiveStream, PlatformError};
use prometheus::IntCounterVec;
use shared::{Result, platform::Platform};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::PlatformContext;
use ask::LiveQuery;
use db::Channel;
use lease::PollLease;

/// Interval between rounds on a platform.
const LIVE_INTERVAL: Duration = Duration::from_secs(60);
/// Interval at which a copy tries to take a platform's lease.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum number of channels in one round on a platform. Twitch and Kick report many with one call; Trovo,
/// which allows 1200 calls a minute, reports one (reference/platforms.md#trovo); a unit of YouTube's quota
/// buys fifty.
const fn max_channels(platform: Platform) -> i64 {
    match platform {
        Platform::Twitch => 10_000,
        Platform::Kick => 2_500,
        Platform::Youtube => 500,
        _ => 300,
    }
}

const PLATFORMS: [Platform; 4] = [Platform::Twitch, Platform::Kick, Platform::Trovo, Platform::Youtube];

/// Runs until `shutdown` is cancelled. A platform that hangs does not delay the others.
pub(super) async fn run(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    let asked = context.metrics.counters(
        "lumio_channel_status_polls_total",
        "Polls of the broadcasts of a platform by outcome: answered or failed.",
        &["platform", "outcome"],
    )?;
    let asking = PLATFORMS.map(|platform| poll(&context, platform, &asked, &shutdown));
    futures::future::join_all(asking).await;
    Ok(())
}

async fn poll(
    context: &PlatformContext,
    platform: Platform,
    asked: &IntCounterVec,
    shutdown: &CancellationToken,
) {
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = round(context, platform, asked, shutdown).await {
            tracing::warn!(%platform, %error, "the broadcasts of a platform were not polled");
        }
    }
}

/// Polls a platform, if it is due. A round ends early when the platform is away, and at the shutdown.
async fn round(
    context: &PlatformContext,
    platform: Platform,
    asked: &IntCounterVec,
    shutdown: &CancellationToken,
) -> Result<()> {
    let Some(lease) = PollLease::acquire(&context.redis, platform, LIVE_INTERVAL).await? else {
        return Ok(());
    };
    let page = db::page(context, platform, lease.after(), max_channels(platform)).await?;
    let is_last = page.len() < usize::try_from(max_channels(platform)).unwrap_or(usize::MAX);
    let next = page.last().filter(|_| !is_last).map(|channel| channel.id.clone());
    lease.save_cursor(next.as_deref()).await?;
    if page.is_empty() {
        return Ok(());
    }
    let asking = shutdown.run_until_cancelled(LiveQuery::of(context, platform)).await;
    let Some(asking) = asking.transpose()?.flatten() else { return Ok(()) };
    for channels in page.chunks(asking.channels_per_call()) {
        let answer = shutdown.run_until_cancelled(asking.about(channels)).await;
        match answer {
            None => break,
            Some(Ok(streams)) => {
                asked.with_label_values(&[platform.slug(), "answered"]).inc();
                note(context, platform, channels, &streams).await?;
            }
            Some(Err(error)) => {
                asked.with_label_values(&[platform.slug(), "failed"]).inc();
                tracing::info!(%platform, %error, "a platform did not return its broadcasts");
                match error {
                    PlatformError::RateLimited { retry_after } => {
                        return lease.pause(retry_after.unwrap_or(LIVE_INTERVAL).max(LIVE_INTERVAL)).await;
                    }
                    // The platform would not answer about the others either.
                    PlatformError::Transient { .. } => break,
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

async fn note(
    context: &PlatformContext,
    platform: Platform,
    channels: &[Channel],
    streams: &[LiveStream],
) -> Result<()> {
    let now = context.clock.now();
    let seen: Vec<Seen> = channels
        .iter()
        .filter_map(|channel| {
            let stream = streams.iter().find(|stream| stream.id == channel.id);
            Some((channel, stream, classify::classify(platform, channel.known, stream, now)?))
        })
        .flat_map(|(channel, stream, state)| {
            channel.accounts.iter().map(move |account| Seen {
                broadcast_id: channel.broadcast_id.clone(),
                stream_title: stream.and_then(|stream| stream.title.clone()),
                category: stream.and_then(|stream| stream.category.clone()),
                viewer_count: stream.and_then(|stream| stream.viewer_count),
                like_count: stream.and_then(|stream| stream.like_count),
                total_views: stream.and_then(|stream| stream.total_views),
                started_at: stream.and_then(|stream| stream.started_at),
                ..Seen::new(*account, state, now)
            })
        })
        .collect();
    let mut connection = context.databases.postgres.get().await?;
    connection.transaction(async |connection| status::record(connection, platform, &seen).await).await
}
