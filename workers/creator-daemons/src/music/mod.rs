//! Player states of accounts (reference/music.md#polling): polls Spotify for accounts that are live or connected
//! manually, publishes changes on `spotify:{account_id}`, and warns of blocked songs.
//!
//! Any number of copies run. They share one schedule in Redis, so that one copy polls an account at a time.

mod alert;
mod changes;
mod plan;
mod poll;
mod seen;
mod song_event;

use std::{sync::Arc, time::Duration};

use live_model::music::Schedule;
use platform_daemons::PlatformContext;
use prometheus::{IntCounterVec, IntGaugeVec};
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

/// Interval at which a copy claims accounts that are due.
const CLAIM_INTERVAL: Duration = Duration::from_millis(250);
/// Interval at which a copy tries to be the one that makes the schedule.
const PLAN_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of concurrent polls of one copy (reference/music.md#polling).
const MAX_CONCURRENT_POLLS: usize = 64;

/// Dependencies of polls.
struct Poller {
    context: PlatformContext,
    schedule: Schedule,
    polls: IntCounterVec,
    scheduled: IntGaugeVec,
}

/// Runs until `shutdown` is cancelled, then ends the polls in progress.
pub async fn run(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    let poller = Arc::new(Poller {
        schedule: Schedule::new(&context.redis),
        polls: context.metrics.counters(
            "lumio_music_polls_total",
            "Polls of players by outcome: playing, idle, limited (Spotify asks for fewer calls), refused \
             (another attempt soon does not help) or failed.",
            &["outcome"],
        )?,
        scheduled: context.metrics.gauges(
            "lumio_music_polled_accounts",
            "Accounts whose players are polled, by all copies together.",
            &[],
        )?,
        context,
    });
    tokio::join!(plan_on(&poller, &shutdown), poll_on(&poller, &shutdown));
    Ok(())
}

async fn plan_on(poller: &Poller, shutdown: &CancellationToken) {
    let mut ticks = interval(PLAN_CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Some(Err(error)) = shutdown.run_until_cancelled(plan::plan(poller)).await {
            tracing::warn!(%error, "the accounts whose players are polled cannot be read");
        }
    }
}

async fn poll_on(poller: &Arc<Poller>, shutdown: &CancellationToken) {
    let mut ticks = interval(CLAIM_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut running = JoinSet::new();
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        while let Some(ended) = running.try_join_next() {
            report(ended);
        }
        let free = MAX_CONCURRENT_POLLS.saturating_sub(running.len());
        match poller.schedule.claim(free, poller.context.clock.now()).await {
            Ok(claims) => {
                poller.scheduled.with_label_values(&[] as &[&str]).set(claims.scheduled);
                for poll in claims.polls {
                    let poller = Arc::clone(poller);
                    running.spawn(async move { poll::run(&poller, &poll).await });
                }
            }
            Err(error) => tracing::warn!(%error, "players that are due cannot be read"),
        }
    }
    while let Some(ended) = running.join_next().await {
        report(ended);
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a poll has failed");
    }
}
