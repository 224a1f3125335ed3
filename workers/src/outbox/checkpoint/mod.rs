//! Finds out that Redis has lost data, and has the work come again that waited in it (quality: faults).
//!
//! Everything that waits in Redis stands in PostgreSQL too: jobs of the outbox until they have ended, and deliveries of
//! the platforms, whose rows and handlers wait in Redis after they were handled. Each second it is written down how far
//! Redis is done with them, and Redis gets the number of that checkpoint. A number that is gone or lower means that what
//! came since is gone as well: a flush, a restart from an older state, a replica that was behind. Then it is handed on
//! again. What was done since and comes again has no second effect, because effects have names: rows unique keys, actions
//! the ids of their invocations. Only handlers run again, as after a crash. A loss of less than a second that leaves the
//! number of the last checkpoint is not seen.

mod store;

use std::{cmp::min, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use futures::future::try_join_all;
use prometheus::IntCounter;
use queue::Oldest;
use redis::{ExistenceCheck, SetOptions, ToRedisArgs};
use shared::{
    Error, Result,
    ingest::{ChatMessage, EventRow, Row, RowBuffer, inbox},
    jobs::{Job, RunTriggers},
    outbox,
};
use tokio_util::sync::CancellationToken;

use crate::Context;
use store::Checkpoint;

/// How often one of all processes looks.
const EVERY: TimeDelta = TimeDelta::milliseconds(900);
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Clocks of processes and of Redis differ by less.
const MARGIN: TimeDelta = TimeDelta::seconds(2);
/// The number of a Redis whose loss is being made good: lower than that of any checkpoint.
const BEING_MADE_GOOD: i64 = 0;

/// Runs until `shutdown` is cancelled.
pub(super) async fn run(context: &Context, shutdown: &CancellationToken) -> anyhow::Result<()> {
    let losses = context.metrics.counters(
        "lumio_redis_losses_total",
        "How often Redis was found to have lost data; what waited in it came again.",
        &[],
    )?;
    let losses = losses.with_label_values(&[] as &[&str]);
    while shutdown.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
        if let Err(error) = check(context, &losses).await {
            tracing::warn!(%error, "it cannot be seen how far the work in Redis is done");
        }
    }
    Ok(())
}

async fn check(context: &Context, losses: &IntCounter) -> Result<()> {
    let now = context.clock.now();
    let mut connection = context.databases.postgres.get().await?;
    let made_good = connection
        .transaction(async |connection| {
            let Some(last) = store::take(connection, now - EVERY).await? else { return Ok(None) };
            // What is open is read before the number, so that a loss in between is seen.
            let open = Open::read(context, connection).await?;
            match (number(context).await?, last.lost_at) {
                (Some(BEING_MADE_GOOD), Some(lost_at)) => {
                    come_again(connection, &last, lost_at).await?;
                    let next = Checkpoint { number: last.number + 1, lost_at: None, ..last };
                    store::put(connection, &next, now).await?;
                    Ok(Some(next.number))
                }
                (number, _) if last.number > 0 && number.is_none_or(|number| number < last.number) => {
                    losses.inc();
                    set_number(context, BEING_MADE_GOOD, None).await?;
                    come_again(connection, &last, now).await?;
                    store::put(connection, &Checkpoint { lost_at: Some(now), ..last }, now).await?;
                    Ok(None)
                }
                _ => {
                    go_on(context, connection, &last, &open, now).await?;
                    Ok::<_, Error>(None)
                }
            }
        })
        .await?;
    drop(connection);
    if let Some(number) = made_good {
        // Fails when Redis has lost its data once more.
        set_number(context, number, Some(ExistenceCheck::XX)).await?;
    }
    Ok(())
}

/// Has what Redis was not done with come again. To be done twice: at the first time somebody may be about to write down
/// that Redis has what it has just lost.
async fn come_again(
    connection: &mut AsyncPgConnection,
    last: &Checkpoint,
    lost_at: DateTime<Utc>,
) -> Result<()> {
    let until = lost_at + MARGIN;
    let jobs = outbox::relay_again(connection, until).await?;
    let deliveries = inbox::reopen(connection, last.settled_until..=until).await?;
    let settled_until = last.settled_until;
    tracing::error!(jobs, deliveries, %settled_until, "Redis has lost data: what waited in it comes again");
    Ok(())
}

/// Writes down how far Redis is.
async fn go_on(
    context: &Context,
    connection: &mut AsyncPgConnection,
    last: &Checkpoint,
    open: &Open,
    now: DateTime<Utc>,
) -> Result<()> {
    let settled_until = open.settled_until(now).map_or(last.settled_until, |at| at.max(last.settled_until));
    let next = Checkpoint { number: last.number + 1, settled_until, lost_at: None };
    let known = (last.number > 0).then_some(ExistenceCheck::XX);
    if !set_number(context, next.number, known).await? {
        // Gone this moment: the next look finds it.
        return Ok(());
    }
    outbox::forget_done(connection, &open.done(now)).await?;
    store::put(connection, &next, now).await
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
        let known =
            self.jobs.iter().filter_map(|(queue, oldest)| Some((queue.clone(), until(*oldest, now)?)));
        known.collect()
    }

    /// Until when everything that deliveries came to is done; `None` when that is more than can be looked at.
    fn settled_until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let rows = self.rows.iter().map(|row| *row - MARGIN);
        rows.chain([until(self.triggers, now)?]).min()
    }
}

fn until(oldest: Oldest, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    match oldest {
        Oldest::None => Some(now - MARGIN),
        Oldest::AddedAt(at) => Some(min(at, now) - MARGIN),
        Oldest::Unknown => None,
    }
}

async fn oldest_row<R: Row>(context: &Context) -> Result<Option<DateTime<Utc>>> {
    let oldest = RowBuffer::<R>::new(context.redis.clone()).oldest().await?;
    Ok(oldest.map(|position| position.taken_at()))
}

/// The number of the last checkpoint that Redis knows.
async fn number(context: &Context) -> Result<Option<i64>> {
    Ok(redis::cmd("GET").arg(key(context)).query_async(&mut *context.redis.get().await?).await?)
}

/// Gives Redis a number; `false` when the condition is not met.
async fn set_number(context: &Context, number: i64, condition: Option<ExistenceCheck>) -> Result<bool> {
    let options =
        condition.map_or_else(SetOptions::default, |check| SetOptions::default().conditional_set(check));
    let mut set = redis::cmd("SET");
    set.arg(key(context)).arg(number);
    options.write_redis_args(&mut set);
    let answer: Option<String> = set.query_async(&mut *context.redis.get().await?).await?;
    Ok(answer.is_some())
}

fn key(context: &Context) -> String {
    context.redis.key("checkpoint")
}

#[cfg(test)]
mod tests {
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
        assert_eq!(open(Oldest::None, &[]).settled_until(now), Some(at(98)));
        assert_eq!(open(Oldest::AddedAt(at(50)), &[]).settled_until(now), Some(at(48)));
        assert_eq!(open(Oldest::AddedAt(at(50)), &[70, 30]).settled_until(now), Some(at(28)));
        assert_eq!(
            open(Oldest::AddedAt(at(500)), &[]).settled_until(now),
            Some(at(98)),
            "a clock that is ahead"
        );
        assert_eq!(open(Oldest::Unknown, &[30]).settled_until(now), None);
    }

    #[test]
    fn each_queue_is_done_for_itself() {
        let jobs = [("a", Oldest::None), ("b", Oldest::AddedAt(at(50))), ("c", Oldest::Unknown)];
        let jobs = jobs.map(|(queue, oldest)| (queue.to_owned(), oldest)).to_vec();
        let open = Open { jobs, ..open(Oldest::None, &[]) };
        assert_eq!(open.done(at(100)), [("a".to_owned(), at(98)), ("b".to_owned(), at(48))]);
    }
}
