//! Detection of data loss in Redis, and repetition of the lost work
//! (reference/ingest.md#recovery-of-a-lost-redis).
//!
//! Work that waits in Redis is in PostgreSQL too: jobs of the outbox until they have ended, and deliveries of
//! the platforms, whose rows and handlers wait in Redis after they were handled. A checkpoint each second
//! records the work that Redis has finished, and each server of Redis gets the number of that checkpoint. A
//! missing or lower number means that later data is gone: after a flush, or a restart from an older state. So
//! does an election in a cluster: the replica that took over may not have the last commands of its master.
//! Then the work is enqueued again. Repeated work has no second effect, because effects have names: rows have
//! unique keys, actions the ids of their invocations. Only handlers run again, as after a crash. A loss of less
//! than a second on one server that keeps the number of the last checkpoint is not detected.

mod servers;
mod store;

use std::{cmp::min, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{
    jobs::{Job, RunTriggers, StartAutomations},
    outbox,
};
use futures::future::try_join_all;
use live_model::{
    ChatMessage, EventRow, Row, RowBuffer,
    inbox::{self, Reopening},
};
use prometheus::IntCounter;
use queue::Oldest;
use shared::{Error, Result};
use tokio_util::sync::CancellationToken;

use servers::Servers;
use store::Checkpoint;
use worker_core::Context;

/// Interval between checkpoints.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Upper bound of the difference between clocks of processes and of Redis.
const CLOCK_MARGIN: TimeDelta = TimeDelta::seconds(2);
/// Maximum time for which work that a delivery triggers is retried.
const MAX_RETRY_DURATION: TimeDelta = TimeDelta::hours(2);
/// Number in a Redis whose loss is being recovered: lower than that of any checkpoint.
const RECOVERING: i64 = 0;
/// Queues of work that deliveries trigger.
const TRIGGERED: [&str; 2] = [RunTriggers::QUEUE, StartAutomations::QUEUE];
/// Number of rows that one statement enqueues or opens again.
const PAGE_SIZE: i64 = 5_000;
/// Maximum number of statements of one recovery; the next check continues.
const MAX_PAGES: usize = 1_000;

/// Runs until `shutdown` is cancelled.
pub(super) async fn run(context: &Context, shutdown: &CancellationToken) -> anyhow::Result<()> {
    let losses = context.metrics.counters(
        "lumio_redis_losses_total",
        "Detected losses of data in Redis; unfinished work was repeated.",
        &[],
    )?;
    let losses = losses.with_label_values(&[] as &[&str]);
    while shutdown.run_until_cancelled(tokio::time::sleep(POLL_INTERVAL)).await.is_some() {
        if let Err(error) = check(context, &losses).await {
            tracing::warn!(%error, "the progress of the work in Redis cannot be checked");
        }
    }
    Ok(())
}

/// Result of a check.
enum Found {
    /// Nothing is to be done, or another process checks.
    Nothing,
    Loss(Checkpoint),
    /// A loss whose work was repeated once, and is due to be repeated once more.
    MadeGoodOnce(Checkpoint, Servers),
}

/// Repeats work handled until a detected loss immediately, and once more some time later: at the first time a
/// process may have been about to record that Redis has work that it had just lost.
async fn check(context: &Context, losses: &IntCounter) -> Result<()> {
    let mut connection = context.databases.postgres.get().await?;
    let found = connection.transaction(async |connection| find(context, connection).await).await?;
    match found {
        Found::Nothing => {}
        Found::Loss(last) => {
            losses.inc();
            replay(context, &mut connection, &last, true).await?;
        }
        Found::MadeGoodOnce(last, servers) => {
            replay(context, &mut connection, &last, false).await?;
            let next = last.next(last.settled_until, last.epoch);
            if store::put(&mut connection, &next).await? {
                // Fails when Redis has lost its data once more; the next check finds that.
                servers.exchange(context, next.number).await?;
            }
        }
    }
    Ok(())
}

/// Records the progress of Redis, unless it has lost data.
async fn find(context: &Context, connection: &mut AsyncPgConnection) -> Result<Found> {
    let Some(last) = store::take(connection).await? else { return Ok(Found::Nothing) };
    let now = context.clock.now();
    // Open work is read before the number, so that a loss in between is detected.
    let open = Open::read(context, connection).await?;
    let servers = Servers::read(context).await?;
    let (number, is_elected) = (servers.number(), servers.epoch > last.epoch);
    if number == Some(RECOVERING) && last.is_lost && !is_elected {
        return Ok(if last.is_due_again { Found::MadeGoodOnce(last, servers) } else { Found::Nothing });
    }
    if last.number > 0 && (is_elected || number.is_none_or(|number| number < last.number)) {
        servers.exchange(context, RECOVERING).await?;
        // A new cluster counts its elections anew.
        let epoch = if servers.is_new() { servers.epoch } else { servers.epoch.max(last.epoch) };
        store::lost(connection, epoch).await?;
        return Ok(Found::Loss(last));
    }
    // A node of a cluster may not know the latest election yet.
    let epoch = servers.epoch.max(last.epoch);
    let next = last.next(open.settled_until(now).max(last.settled_until), epoch);
    // Otherwise the number has just changed, and the next check finds the reason.
    if servers.exchange(context, next.number).await? {
        outbox::forget_done(connection, &open.done(now)).await?;
        store::put(connection, &next).await?;
    }
    Ok(Found::Nothing)
}

/// Enqueues and opens again all work that Redis had not finished.
async fn replay(
    context: &Context,
    connection: &mut AsyncPgConnection,
    last: &Checkpoint,
    repeatedly: bool,
) -> Result<()> {
    let (settled_until, now) = (last.settled_until, context.clock.now());
    let reopening = Reopening { handled: settled_until..=now, repeatedly };
    let (mut jobs, mut deliveries) = (0, 0);
    for _ in 0..MAX_PAGES {
        let relayed = outbox::relay_again(connection, now, PAGE_SIZE).await?;
        let reopened = inbox::reopen(connection, &reopening, PAGE_SIZE).await?;
        (jobs, deliveries) = (jobs + relayed, deliveries + reopened);
        if relayed + reopened == 0 {
            break;
        }
    }
    tracing::error!(jobs, deliveries, %settled_until, "Redis has lost data: unfinished work is repeated");
    Ok(())
}

/// Work that Redis has not finished.
struct Open {
    /// Oldest job of each queue with rows of the outbox.
    jobs: Vec<(String, Oldest)>,
    /// Oldest job of each queue of work that deliveries trigger.
    triggers: Vec<Oldest>,
    /// Oldest row of each buffer.
    rows: Vec<DateTime<Utc>>,
}

impl Open {
    async fn read(context: &Context, connection: &mut AsyncPgConnection) -> Result<Self> {
        let queues = outbox::queues_with_relayed(connection).await?;
        let of_queue = async |queue: String| {
            let oldest = context.queues.oldest(&queue).await?;
            Ok::<_, Error>((queue, oldest))
        };
        let (jobs, triggers, messages, events) = futures::try_join!(
            try_join_all(queues.into_iter().map(of_queue)),
            try_join_all(TRIGGERED.map(async |queue| Ok::<_, Error>(context.queues.oldest(queue).await?))),
            oldest_row::<ChatMessage>(context),
            oldest_row::<EventRow>(context),
        )?;
        Ok(Self { jobs, triggers, rows: messages.into_iter().chain(events).collect() })
    }

    /// Returns the time until which each queue has finished its jobs.
    fn done(&self, now: DateTime<Utc>) -> Vec<(String, DateTime<Utc>)> {
        let known = self.jobs.iter().filter_map(|(queue, oldest)| {
            let is_triggered = TRIGGERED.contains(&queue.as_str());
            let done = if is_triggered { Some(tried(*oldest, now)) } else { until(*oldest, now) };
            Some((queue.clone(), done?))
        });
        known.collect()
    }

    /// Returns the time until which all work that deliveries caused is done.
    fn settled_until(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let rows = self.rows.iter().map(|row| *row - CLOCK_MARGIN);
        let triggers = self.triggers.iter().map(|oldest| tried(*oldest, now));
        triggers.chain(rows).fold(tried(Oldest::None, now), min)
    }
}

/// Returns the time until which a queue is done; `None` when it has too many jobs to find the oldest.
fn until(oldest: Oldest, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    match oldest {
        Oldest::None => Some(now - CLOCK_MARGIN),
        Oldest::AddedAt(at) => Some(min(at, now) - CLOCK_MARGIN),
        Oldest::Unknown => None,
    }
}

/// Returns the same for triggered work, whose retries are bounded in time.
fn tried(oldest: Oldest, now: DateTime<Utc>) -> DateTime<Utc> {
    until(oldest, now).unwrap_or(now - MAX_RETRY_DURATION).max(now - MAX_RETRY_DURATION)
}

async fn oldest_row<R: Row>(context: &Context) -> Result<Option<DateTime<Utc>>> {
    let oldest = RowBuffer::<R>::new(context.redis.clone()).oldest().await?;
    Ok(oldest.map(|position| position.taken_at()))
}

#[cfg(test)]
mod tests {
    use foundation::jobs::settings;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn open(triggers: Oldest, rows: &[i64]) -> Open {
        Open {
            jobs: Vec::new(),
            triggers: vec![Oldest::None, triggers],
            rows: rows.iter().map(|row| at(*row)).collect(),
        }
    }

    #[test]
    fn settled_until_precedes_the_oldest_open_job() {
        let now = at(100);
        assert_eq!(open(Oldest::None, &[]).settled_until(now), at(98));
        assert_eq!(open(Oldest::AddedAt(at(50)), &[]).settled_until(now), at(48));
        assert_eq!(open(Oldest::AddedAt(at(50)), &[70, 30]).settled_until(now), at(28));
        assert_eq!(open(Oldest::AddedAt(at(500)), &[]).settled_until(now), at(98), "a clock that is ahead");
    }

    #[test]
    fn settled_until_assumes_the_retry_duration_for_unknown_jobs() {
        let now = at(10_000);
        assert_eq!(open(Oldest::Unknown, &[]).settled_until(now), now - MAX_RETRY_DURATION);
        assert_eq!(
            open(Oldest::AddedAt(at(1)), &[]).settled_until(now),
            now - MAX_RETRY_DURATION,
            "made again by hand"
        );
        for limits in TRIGGERED.map(settings) {
            let retry_window = (limits.backoff.max + limits.timeout) * limits.max_attempts;
            assert!(MAX_RETRY_DURATION.to_std().unwrap() >= retry_window);
        }
    }

    #[test]
    fn done_is_reported_for_each_queue() {
        let jobs = [("a", Oldest::None), ("b", Oldest::AddedAt(at(50))), ("c", Oldest::Unknown)];
        let jobs = jobs.map(|(queue, oldest)| (queue.to_owned(), oldest)).to_vec();
        let open = Open { jobs, ..open(Oldest::None, &[]) };
        assert_eq!(open.done(at(100)), [("a".to_owned(), at(98)), ("b".to_owned(), at(48))]);
    }
}
