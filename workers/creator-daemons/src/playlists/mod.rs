//! Playlists whose songs stand in the lists of accounts (reference/copyright.md#playlists). Any number of
//! copies may run: a claim on the row selects the one that reads a playlist.

mod db;
mod outcome;
mod pauses;
mod sync;

use std::time::Duration;

use account_model::features;
use futures::{StreamExt, stream};
use platform_daemons::PlatformContext;
use prometheus::IntCounterVec;
use shared::{Result, catalogue::Feature};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use db::Due;
use outcome::Outcome;
use pauses::Pauses;

/// Interval between checks for playlists that are due.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Number of playlists of one batch; more follow immediately.
const BATCH_SIZE: i64 = 20;
/// Maximum number of playlists that one copy reads concurrently.
const MAX_CONCURRENT_SYNCS: usize = 4;

/// Dependencies of a reading.
struct Syncs {
    context: PlatformContext,
    pauses: Pauses,
    outcomes: IntCounterVec,
}

/// Runs until `shutdown` is cancelled.
///
/// # Errors
/// None in practice: the metric's name is a constant.
pub async fn run(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    let outcomes = context.metrics.counters(
        "lumio_playlist_syncs_total",
        "Readings of followed playlists by outcome: synced, unchanged, missing, refused, not_connected, \
         switched_off, postponed, ended or failed.",
        &["outcome"],
    )?;
    let syncs = Syncs { context, pauses: Pauses::default(), outcomes };
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        while !shutdown.is_cancelled() {
            match syncs.batch(&shutdown).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(%error, "the playlists to read cannot be found");
                    break;
                }
            }
        }
    }
    Ok(())
}

impl Syncs {
    /// Reads one batch; true when more may be due.
    async fn batch(&self, shutdown: &CancellationToken) -> Result<bool> {
        let now = self.context.clock.now();
        let mut connection = self.context.databases.postgres.get().await?;
        let due = db::claim(&mut connection, now, BATCH_SIZE).await?;
        let accounts: Vec<Uuid> = due.iter().map(|due| due.account_id.uuid()).collect();
        let key = Feature::CopyrightDetection.key();
        let without = features::accounts_without(&mut connection, &accounts, key).await?;
        drop(connection);
        let is_full = i64::try_from(due.len()).is_ok_and(|found| found == BATCH_SIZE);
        stream::iter(due)
            // Readings in progress are finished, others are left to other copies once the claim ends.
            .take_while(|_| std::future::ready(!shutdown.is_cancelled()))
            .for_each_concurrent(MAX_CONCURRENT_SYNCS, |due| {
                let is_off = without.contains(&due.account_id.uuid());
                async move { self.one(&due, is_off).await }
            })
            .await;
        Ok(is_full)
    }

    /// Reads a playlist, unless its account may not use the feature, and stores the outcome.
    async fn one(&self, due: &Due, is_off: bool) {
        let outcome = if is_off { Outcome::SwitchedOff } else { self.sync(due).await };
        self.outcomes.with_label_values(&[outcome.as_str()]).inc();
        if let Err(error) = self.store(due, outcome).await {
            // The claim ends by itself, and the playlist is read again.
            tracing::warn!(sync_id = %due.id, %error, "the outcome of a playlist cannot be stored");
        }
    }
}
