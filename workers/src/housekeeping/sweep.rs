//! Sweep for deliveries without a job: written to the inbox by a process that died, or could not reach Redis,
//! before it added their job (reference/ingest.md#sweep).

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::jobs::HandleDelivery;
use live_model::inbox::SWEEP_WINDOW;
use queue::EnqueueOptions;
use shared::{Result, schema::webhook_inbox};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use worker_core::Context;

/// Interval between sweeps. A delivery whose job was lost runs at most five seconds late: sweeps take
/// deliveries that are two seconds old.
const SWEEP_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum age of a delivery that a sweep takes.
const MIN_SWEPT_AGE: chrono::Duration = chrono::Duration::seconds(2);
/// Number of deliveries of one page.
const PAGE_SIZE: i64 = 500;
/// Maximum number of pages in one sweep; the next one continues there.
const MAX_PAGES: usize = 20;

/// Position of a sweep: the delivery after which it continues, or the oldest.
#[derive(Debug, Default)]
struct Sweep {
    after: Option<(DateTime<Utc>, Uuid)>,
}

pub(super) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let swept = context.metrics.counters(
        "lumio_inbox_swept_total",
        "Deliveries without a job for which one was added.",
        &[],
    )?;
    let mut ticks = tokio::time::interval(SWEEP_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sweep = Sweep::default();
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        match sweep.resume(&context).await {
            Ok(0) => {}
            Ok(added) => {
                tracing::warn!(added, "jobs were added for deliveries without one");
                swept.with_label_values(&[] as &[&str]).inc_by(added as u64);
            }
            Err(error) => tracing::warn!(%error, "the inbox cannot be swept"),
        }
    }
    Ok(())
}

/// Adds a job for every recent open delivery that has none, within the pages of one sweep. Returns the number
/// of deliveries that had none. An existing job, also a dead one, keeps a second one out by its key.
///
/// # Errors
/// Failures of the database or Redis.
pub async fn sweep_inbox(context: &Context) -> Result<usize> {
    Sweep::default().resume(context).await
}

impl Sweep {
    async fn resume(&mut self, context: &Context) -> Result<usize> {
        let producer = context.producer::<HandleDelivery>()?;
        let now = context.clock.now();
        let before = now - MIN_SWEPT_AGE;
        let oldest = (now - SWEEP_WINDOW, Uuid::nil());
        let (mut after, mut added) = (self.after.take().map_or(oldest, |after| after.max(oldest)), 0);
        for _ in 0..MAX_PAGES {
            let page = open_deliveries(context, after, before).await?;
            let jobs: Vec<HandleDelivery> =
                page.iter().map(|(_, id)| HandleDelivery { delivery_id: *id }).collect();
            let keyed = jobs.iter().map(|job| (job, EnqueueOptions::new().key(job.delivery_id.to_string())));
            let (asked_at, are_new) = (context.clock.now(), producer.enqueue_bulk(keyed).await?);
            let new: Vec<Uuid> =
                page.iter().zip(are_new).filter(|(_, is_new)| *is_new).map(|((_, id), _)| *id).collect();
            added += left_without_job(context, &new, asked_at).await?;
            match page.last() {
                Some(last) if i64::try_from(page.len()).unwrap_or(i64::MAX) >= PAGE_SIZE => after = *last,
                // The next sweep starts at the oldest again.
                _ => return Ok(added),
            }
        }
        self.after = Some(after);
        Ok(added)
    }
}

/// Counts the deliveries of `given` that had no job. The key of a job that succeeded is deleted, so a
/// delivery that was handled while the page was read gets another job, which finds nothing to do.
async fn left_without_job(context: &Context, given: &[Uuid], asked_at: DateTime<Utc>) -> Result<usize> {
    if given.is_empty() {
        return Ok(0);
    }
    let done_before: i64 = webhook_inbox::table
        .filter(webhook_inbox::id.eq_any(given).and(webhook_inbox::handled_at.le(asked_at)))
        .count()
        .get_result(&mut *context.databases.postgres.get().await?)
        .await?;
    Ok(given.len().saturating_sub(usize::try_from(done_before).unwrap_or(usize::MAX)))
}

async fn open_deliveries(
    context: &Context,
    (after_time, after_id): (DateTime<Utc>, Uuid),
    before: DateTime<Utc>,
) -> Result<Vec<(DateTime<Utc>, Uuid)>> {
    let is_later = webhook_inbox::received_at
        .gt(after_time)
        .or(webhook_inbox::received_at.eq(after_time).and(webhook_inbox::id.gt(after_id)));
    Ok(webhook_inbox::table
        .filter(webhook_inbox::handled_at.is_null().and(webhook_inbox::received_at.lt(before)).and(is_later))
        .order((webhook_inbox::received_at, webhook_inbox::id))
        .limit(PAGE_SIZE)
        .select((webhook_inbox::received_at, webhook_inbox::id))
        .load(&mut *context.databases.postgres.get().await?)
        .await?)
}
