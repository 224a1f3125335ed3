//! Finds out that Redis has lost data, and has the work come again that waited in it (quality: faults).
//!
//! What waits in Redis stands in PostgreSQL too: jobs of the outbox until they have ended, and deliveries of the platforms,
//! whose rows and handlers wait in Redis after they were handled. Each second it is written down how far Redis is done with
//! them, and Redis gets the number of that checkpoint. A number that is gone or lower means that what came since is gone
//! as well: a flush, a restart from an older state, a replica that was behind. Then it is handed on again. What was done
//! since and comes again has no second effect, because effects have names: rows unique keys, actions the ids of their
//! invocations. Only handlers run again, as after a crash. A loss of less than a second that leaves the number of the last
//! checkpoint is not seen.

mod store;

use std::{cmp::min, sync::LazyLock, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use futures::future::try_join_all;
use prometheus::IntCounter;
use queue::Oldest;
use redis::Script;
use shared::{
    Error, Result,
    ingest::{
        ChatMessage, EventRow, Row, RowBuffer,
        inbox::{self, Reopening},
    },
    jobs::{Job, RunTriggers},
    outbox,
};
use tokio_util::sync::CancellationToken;

use crate::Context;
use store::Checkpoint;

static EXCHANGE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("exchange.lua")));

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Clocks of processes and of Redis differ by less.
const MARGIN: TimeDelta = TimeDelta::seconds(2);
/// Longer than what a delivery triggers is tried for.
const TRIED_FOR: TimeDelta = TimeDelta::hours(2);
/// The number of a Redis whose loss is being made good: lower than that of any checkpoint.
const BEING_MADE_GOOD: i64 = 0;
/// Rows of one statement that has work come again.
const PAGE: i64 = 5_000;
/// Statements of one look. What is left then is left to the next.
const MAX_PAGES: usize = 1_000;

/// Runs until `shutdown` is cancelled.
pub(super) async fn run(context: &Context, shutdown: &CancellationToken) -> anyhow::Result<()> {
    let losses = context.metrics.counters(
        "lumio_redis_losses_total",
        "How often Redis was found to have lost data; what waited in it came again.",
        &[],
    )?;
    let losses = losses.with_label_values(&[] as &[&str]);
    while shutdown.run_until_cancelled(tokio::time::sleep(POLL_INTERVAL)).await.is_some() {
        if let Err(error) = look(context, &losses).await {
            tracing::warn!(%error, "it cannot be seen how far the work in Redis is done");
        }
    }
    Ok(())
}

/// What was found.
enum Found {
    /// Nothing is to be done, or another process looks.
    Nothing,
    Loss(Checkpoint),
    /// A loss whose work came again, and is to come once more.
    MadeGoodOnce(Checkpoint),
}

/// What was handled until a loss was found comes again at once. Some time later it does so once more: at the first time
/// somebody may have been about to write down that Redis has what it had just lost.
async fn look(context: &Context, losses: &IntCounter) -> Result<()> {
    let mut connection = context.databases.postgres.get().await?;
    let found = connection.transaction(async |connection| find(context, connection).await).await?;
    match found {
        Found::Nothing => {}
        Found::Loss(last) => {
            losses.inc();
            come_again(context, &mut connection, &last, true).await?;
        }
        Found::MadeGoodOnce(last) => {
            come_again(context, &mut connection, &last, false).await?;
            let next = last.next(last.settled_until);
            if store::put(&mut connection, &next).await? {
                // Fails when Redis has lost its data once more, which is found then.
                exchange(context, Some(BEING_MADE_GOOD), next.number).await?;
            }
        }
    }
    Ok(())
}

/// Writes down how far Redis is, unless it has lost data.
async fn find(context: &Context, connection: &mut AsyncPgConnection) -> Result<Found> {
    let Some(last) = store::take(connection).await? else { return Ok(Found::Nothing) };
    let now = context.clock.now();
    // What is open is read before the number, so that a loss in between is seen.
    let open = Open::read(context, connection).await?;
    let number = number(context).await?;
    if number == Some(BEING_MADE_GOOD) && last.is_lost {
        return Ok(if last.is_due_again { Found::MadeGoodOnce(last) } else { Found::Nothing });
    }
    if last.number > 0 && number.is_none_or(|number| number < last.number) {
        exchange(context, number, BEING_MADE_GOOD).await?;
        store::lost(connection).await?;
        return Ok(Found::Loss(last));
    }
    let next = last.next(open.settled_until(now).max(last.settled_until));
    // Else it changed this moment, and the next look finds out how.
    if exchange(context, number, next.number).await? {
        outbox::forget_done(connection, &open.done(now)).await?;
        store::put(connection, &next).await?;
    }
    Ok(Found::Nothing)
}

/// Has what Redis was not done with come again.
async fn come_again(
    context: &Context,
    connection: &mut AsyncPgConnection,
    last: &Checkpoint,
    repeatedly: bool,
) -> Result<()> {
    let (settled_until, now) = (last.settled_until, context.clock.now());
    let reopening = Reopening { handled: settled_until..=now, repeatedly };
    let (mut jobs, mut deliveries) = (0, 0);
    for _ in 0..MAX_PAGES {
        let relayed = outbox::relay_again(connection, now, PAGE).await?;
        let reopened = inbox::reopen(connection, &reopening, PAGE).await?;
        (jobs, deliveries) = (jobs + relayed, deliveries + reopened);
        if relayed + reopened == 0 {
            break;
        }
    }
    tracing::error!(jobs, deliveries, %settled_until, "Redis has lost data: what waited in it comes again");
    Ok(())
}

/// What Redis is not done with.
struct Open {
    /// Of the queues that have rows of the outbox.
    jobs: Vec<(String, Oldest)>,
    triggers: Oldest,
    /// The oldest row of each buffer.
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
            async { Ok(context.queues.oldest(RunTriggers::QUEUE).await?) },
            oldest_row::<ChatMessage>(context),
            oldest_row::<EventRow>(context),
        )?;
        Ok(Self { jobs, triggers, rows: messages.into_iter().chain(events).collect() })
    }

    /// Until when each queue is done with what it got.
    fn done(&self, now: DateTime<Utc>) -> Vec<(String, DateTime<Utc>)> {
        let known = self.jobs.iter().filter_map(|(queue, oldest)| {
            let done =
                if queue == RunTriggers::QUEUE { Some(tried(*oldest, now)) } else { until(*oldest, now) };
            Some((queue.clone(), done?))
        });
        known.collect()
    }

    /// Until when everything that deliveries came to is done.
    fn settled_until(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let rows = self.rows.iter().map(|row| *row - MARGIN);
        rows.fold(tried(self.triggers, now), min)
    }
}

/// Until when a queue is done; `None` when it has more jobs than are looked at.
fn until(oldest: Oldest, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    match oldest {
        Oldest::None => Some(now - MARGIN),
        Oldest::AddedAt(at) => Some(min(at, now) - MARGIN),
        Oldest::Unknown => None,
    }
}

/// The same of what deliveries trigger, which is not tried for ever.
fn tried(oldest: Oldest, now: DateTime<Utc>) -> DateTime<Utc> {
    until(oldest, now).unwrap_or(now - TRIED_FOR).max(now - TRIED_FOR)
}

async fn oldest_row<R: Row>(context: &Context) -> Result<Option<DateTime<Utc>>> {
    let oldest = RowBuffer::<R>::new(context.redis.clone()).oldest().await?;
    Ok(oldest.map(|position| position.taken_at()))
}

/// The number of the last checkpoint that Redis knows.
async fn number(context: &Context) -> Result<Option<i64>> {
    Ok(redis::cmd("GET").arg(key(context)).query_async(&mut *context.redis.get().await?).await?)
}

/// Gives Redis a number in place of the one that it was read to have; `false` when it has another by now.
async fn exchange(context: &Context, known: Option<i64>, number: i64) -> Result<bool> {
    let known = known.map(|known| known.to_string()).unwrap_or_default();
    let mut call = EXCHANGE.prepare_invoke();
    call.key(key(context)).arg(known).arg(number);
    Ok(call.invoke_async(&mut *context.redis.get().await?).await?)
}

fn key(context: &Context) -> String {
    context.redis.key("checkpoint")
}

#[cfg(test)]
mod tests {
    use shared::jobs::settings;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn open(triggers: Oldest, rows: &[i64]) -> Open {
        Open { jobs: Vec::new(), triggers, rows: rows.iter().map(|row| at(*row)).collect() }
    }

    #[test]
    fn nothing_counts_as_done_that_came_after_what_is_open() {
        let now = at(100);
        assert_eq!(open(Oldest::None, &[]).settled_until(now), at(98));
        assert_eq!(open(Oldest::AddedAt(at(50)), &[]).settled_until(now), at(48));
        assert_eq!(open(Oldest::AddedAt(at(50)), &[70, 30]).settled_until(now), at(28));
        assert_eq!(open(Oldest::AddedAt(at(500)), &[]).settled_until(now), at(98), "a clock that is ahead");
    }

    #[test]
    fn what_is_too_much_to_be_looked_at_is_open_for_as_long_as_it_may_be_tried() {
        let now = at(10_000);
        assert_eq!(open(Oldest::Unknown, &[]).settled_until(now), now - TRIED_FOR);
        assert_eq!(
            open(Oldest::AddedAt(at(1)), &[]).settled_until(now),
            now - TRIED_FOR,
            "made again by hand"
        );
        let most = settings(RunTriggers::QUEUE);
        let tried_for = (most.backoff.longest + most.timeout) * most.max_attempts;
        assert!(TRIED_FOR.to_std().unwrap() >= tried_for);
    }

    #[test]
    fn each_queue_is_done_for_itself() {
        let jobs = [("a", Oldest::None), ("b", Oldest::AddedAt(at(50))), ("c", Oldest::Unknown)];
        let jobs = jobs.map(|(queue, oldest)| (queue.to_owned(), oldest)).to_vec();
        let open = Open { jobs, ..open(Oldest::None, &[]) };
        assert_eq!(open.done(at(100)), [("a".to_owned(), at(98)), ("b".to_owned(), at(48))]);
    }
}
