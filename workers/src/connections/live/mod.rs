//! Asks platforms every minute what is on air in connected channels (specification C §10, channel status): what nobody
//! pushes, and the title, the category and the viewers of what was pushed.
//!
//! Any number of copies may run: one of them has the turn on a platform. A round asks about a bounded number of
//! channels; the next one goes on behind them.

mod ask;
mod db;
mod judge;
mod turn;

use std::time::Duration;

use diesel_async::AsyncConnection;
use prometheus::IntCounterVec;
use shared::{
    Result,
    connections::status::{self, Seen},
    platforms::{LiveStream, Platform, PlatformError},
};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::Context;
use ask::Asked;
use db::Channel;
use turn::Turn;

const LIVE_INTERVAL: Duration = Duration::from_secs(60);
/// How often a copy looks whether a platform's turn is free.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Channels of one round on a platform. Twitch and Kick tell of many with one call; Trovo, which allows 1200 calls a
/// minute, of one (D §2, §4, §5); a unit of YouTube's quota buys fifty.
const fn most(platform: Platform) -> i64 {
    match platform {
        Platform::Twitch => 10_000,
        Platform::Kick => 2_500,
        Platform::Youtube => 500,
        _ => 300,
    }
}

const PLATFORMS: [Platform; 4] = [Platform::Twitch, Platform::Kick, Platform::Trovo, Platform::Youtube];

/// Runs until `shutdown` is cancelled: a platform that hangs keeps no other waiting.
pub(super) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let asked = context.metrics.counters(
        "lumio_channel_status_polls_total",
        "Calls that asked a platform what is on air, by what came of them: answered or failed.",
        &["platform", "outcome"],
    )?;
    let asking = PLATFORMS.map(|platform| ask_again_and_again(&context, platform, &asked, &shutdown));
    futures::future::join_all(asking).await;
    Ok(())
}

async fn ask_again_and_again(
    context: &Context,
    platform: Platform,
    asked: &IntCounterVec,
    shutdown: &CancellationToken,
) {
    let mut looks = tokio::time::interval(POLL_INTERVAL);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(looks.tick()).await.is_some() {
        if let Err(error) = round(context, platform, asked, shutdown).await {
            tracing::warn!(%platform, %error, "a platform was not asked what is on air");
        }
    }
}

/// Asks a platform, if it is its time. A round ends early when the platform is away, and at the wish to stop.
async fn round(
    context: &Context,
    platform: Platform,
    asked: &IntCounterVec,
    shutdown: &CancellationToken,
) -> Result<()> {
    let Some(turn) = Turn::take(&context.redis, platform, LIVE_INTERVAL).await? else { return Ok(()) };
    let page = db::page(context, platform, turn.after(), most(platform)).await?;
    let is_last = page.len() < usize::try_from(most(platform)).unwrap_or(usize::MAX);
    let next = page.last().filter(|_| !is_last).map(|channel| channel.id.clone());
    turn.goes_on(next.as_deref()).await?;
    if page.is_empty() {
        return Ok(());
    }
    let asking = shutdown.run_until_cancelled(Asked::of(context, platform)).await;
    let Some(asking) = asking.transpose()?.flatten() else { return Ok(()) };
    for channels in page.chunks(asking.at_once()) {
        let answer = shutdown.run_until_cancelled(asking.about(channels)).await;
        match answer {
            None => break,
            Some(Ok(streams)) => {
                asked.with_label_values(&[platform.slug(), "answered"]).inc();
                note(context, platform, channels, &streams).await?;
            }
            Some(Err(error)) => {
                asked.with_label_values(&[platform.slug(), "failed"]).inc();
                tracing::info!(%platform, %error, "a platform did not tell what is on air");
                match error {
                    PlatformError::RateLimited { retry_after } => {
                        return turn.rests(retry_after.unwrap_or(LIVE_INTERVAL).max(LIVE_INTERVAL)).await;
                    }
                    // It would not tell of the others either.
                    PlatformError::Transient { .. } => break,
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

async fn note(
    context: &Context,
    platform: Platform,
    channels: &[Channel],
    streams: &[LiveStream],
) -> Result<()> {
    let now = context.clock.now();
    let seen: Vec<Seen> = channels
        .iter()
        .filter_map(|channel| {
            let stream = streams.iter().find(|stream| stream.id == channel.id);
            Some((channel, stream, judge::standing(platform, channel.known, stream, now)?))
        })
        .flat_map(|(channel, stream, standing)| {
            channel.accounts.iter().map(move |account| Seen {
                broadcast_id: channel.broadcast_id.clone(),
                stream_title: stream.and_then(|stream| stream.title.clone()),
                category: stream.and_then(|stream| stream.category.clone()),
                viewer_count: stream.and_then(|stream| stream.viewer_count),
                like_count: stream.and_then(|stream| stream.like_count),
                total_views: stream.and_then(|stream| stream.total_views),
                started_at: stream.and_then(|stream| stream.started_at),
                ..Seen::new(*account, standing, now)
            })
        })
        .collect();
    let mut connection = context.databases.postgres.get().await?;
    connection.transaction(async |connection| status::record(connection, platform, &seen).await).await
}
