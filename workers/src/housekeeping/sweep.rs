//! Deliveries without a job: written to the inbox by a process that died, or could not reach Redis, before it could
//! hand them on.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use queue::EnqueueOptions;
use shared::{Result, db::schema::webhook_inbox, jobs::HandleDelivery};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Context;

/// A delivery runs at most five seconds late: it is looked at when it is two seconds old, every two seconds.
const SWEEP_INTERVAL: Duration = Duration::from_secs(2);
const OLDER_THAN: chrono::Duration = chrono::Duration::seconds(2);
/// Older deliveries are left alone. The queue knows a job's key, also a dead one's, for a day: within less than that a
/// delivery whose job has died is not given another, and one that waited through a long outage is still handled.
pub(crate) const YOUNGER_THAN: chrono::Duration = chrono::Duration::hours(12);
const PAGE: i64 = 500;
/// What is left after so many pages is looked at by the next sweep, which goes on there.
const MAX_PAGES: usize = 20;

/// Where a sweep goes on: nowhere in particular, or after a delivery.
#[derive(Debug, Default)]
struct Sweep {
    after: Option<(DateTime<Utc>, Uuid)>,
}

pub(super) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let swept = context.metrics.counters(
        "lumio_inbox_swept_total",
        "Deliveries that had no job and were given one.",
        &[],
    )?;
    let mut ticks = tokio::time::interval(SWEEP_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sweep = Sweep::default();
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        match sweep.go_on(&context).await {
            Ok(0) => {}
            Ok(added) => {
                tracing::warn!(added, "deliveries were left without a job");
                swept.with_label_values(&[] as &[&str]).inc_by(added as u64);
            }
            Err(error) => tracing::warn!(%error, "the inbox cannot be swept"),
        }
    }
    Ok(())
}

/// Gives a job to every recent open delivery that has none, as far as one sweep comes; answers how many. A job that there
/// is, also a dead one, keeps others out by its key.
///
/// # Errors
/// When the database or Redis fails.
pub async fn sweep_inbox(context: &Context) -> Result<usize> {
    Sweep::default().go_on(context).await
}

impl Sweep {
    async fn go_on(&mut self, context: &Context) -> Result<usize> {
        let producer = context.producer::<HandleDelivery>()?;
        let now = context.clock.now();
        let before = now - OLDER_THAN;
        let oldest = (now - YOUNGER_THAN, Uuid::nil());
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
                Some(last) if i64::try_from(page.len()).unwrap_or(i64::MAX) >= PAGE => after = *last,
                // From the oldest again.
                _ => return Ok(added),
            }
        }
        self.after = Some(after);
        Ok(added)
    }
}

/// How many of the deliveries that were given a job had none. The key of a job that succeeded is forgotten, so that one
/// which was handled while the page was read is given another job, and that one finds nothing to do.
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
        .limit(PAGE)
        .select((webhook_inbox::received_at, webhook_inbox::id))
        .load(&mut *context.databases.postgres.get().await?)
        .await?)
}
