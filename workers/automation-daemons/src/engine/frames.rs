//! Events of runs on the channel of the account (reference/automations.md#execution).
//!
//! Each step is published. Runs of a busy account wait for it, so that they do not fill the event log of its channel at
//! one moment. The end of a run is marked in its row until it is published, so that a sweep publishes what a killed
//! copy has left.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chrono::TimeDelta;
use diesel::{
    sql_query,
    sql_types::{Array, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::{db::Prepare, events::Event, redis::RoundTrip};
use shared::Result;
use tokio::{
    sync::mpsc::{self, Receiver, Sender},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::Context;

/// Maximum number of begins and steps of an account that a copy publishes together, and then in each second; its runs
/// wait (reference/automations.md#execution).
pub const MAX_EVENTS_PER_SECOND: u32 = 200;
/// Time whose events an account may publish together.
const BURST_DURATION: Duration = Duration::from_secs(1);
/// Number of events that wait while Redis is away; more are dropped.
const MAX_WAITING: usize = 10_000;
/// Number of events that are published together.
const BATCH_SIZE: usize = 100;
/// Number of attempts to publish a batch; then it is dropped.
const MAX_PUBLISH_ATTEMPTS: u32 = 10;
/// Pause between two attempts to publish a batch.
const PUBLISH_RETRY_DELAY: Duration = Duration::from_millis(500);
/// Time after which the end of a run that is not published is published by any copy
/// (reference/automations.md#execution).
pub(super) const END_TIMEOUT: TimeDelta = TimeDelta::seconds(15);

/// Event of a run.
#[derive(Debug)]
pub(crate) struct Frame {
    event: Event,
    /// The run, if this is its end.
    ended: Option<Uuid>,
}

/// Sender of events. A run never waits for Redis.
pub(super) struct Frames {
    sender: Sender<Frame>,
    pace: Mutex<Pace>,
}

/// Times until which the events of the accounts use up what they may publish.
#[derive(Debug, Default)]
struct Pace {
    used_until: HashMap<Uuid, Instant>,
    pruned_at: Option<Instant>,
}

impl Frames {
    /// Returns a sender, and the events that [`publish`] takes.
    pub fn new() -> (Self, Receiver<Frame>) {
        let (sender, frames) = mpsc::channel(MAX_WAITING);
        (Self { sender, pace: Mutex::default() }, frames)
    }

    /// Counts events of an account; returns the time after which they may be sent.
    pub fn delay(&self, account: Uuid, events: usize) -> Duration {
        let events = u32::try_from(events).unwrap_or(u32::MAX);
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.delay(account, events, Instant::now())
    }

    /// True when this number of events can be sent.
    pub fn has_room(&self, events: i64) -> bool {
        i64::try_from(self.sender.capacity()).is_ok_and(|room| room >= events)
    }

    /// Publishes the begin of a run or a step.
    pub fn send(&self, event: Event) {
        self.push(Frame { event, ended: None });
    }

    /// Publishes the end of a run, and removes its mark.
    pub fn send_end(&self, run: Uuid, event: Event) {
        self.push(Frame { event, ended: Some(run) });
    }

    fn push(&self, frame: Frame) {
        if self.sender.try_send(frame).is_err() {
            tracing::debug!("an event of a run is dropped");
        }
    }
}

impl Pace {
    fn delay(&mut self, account: Uuid, events: u32, now: Instant) -> Duration {
        if self.pruned_at.is_none_or(|at| now.saturating_duration_since(at) >= BURST_DURATION) {
            self.used_until.retain(|_, until| *until > now);
            self.pruned_at = Some(now);
        }
        let until = self.used_until.entry(account).or_insert(now);
        *until = (*until).max(now) + BURST_DURATION * events / MAX_EVENTS_PER_SECOND;
        until.saturating_duration_since(now).saturating_sub(BURST_DURATION)
    }
}

/// Publishes events in their order, until `stop` is cancelled and none waits.
pub(super) async fn publish(context: &Context, frames: Receiver<Frame>, stop: &CancellationToken) {
    let (ended, published) = mpsc::channel(MAX_WAITING);
    tokio::join!(publish_all(context, frames, ended, stop), unmark_all(context, published));
}

async fn publish_all(
    context: &Context,
    mut frames: Receiver<Frame>,
    ended: Sender<Uuid>,
    stop: &CancellationToken,
) {
    let mut batch = Vec::with_capacity(BATCH_SIZE);
    loop {
        if stop.run_until_cancelled(frames.recv_many(&mut batch, BATCH_SIZE)).await.is_none() {
            while batch.len() < MAX_WAITING
                && let Ok(frame) = frames.try_recv()
            {
                batch.push(frame);
            }
        }
        if batch.is_empty() {
            return;
        }
        if publish_batch(context, &batch, stop).await {
            // The events of no account wait for the database. An end that finds no room is published again.
            for run in batch.iter().filter_map(|frame| frame.ended) {
                if ended.try_send(run).is_err() {
                    tracing::debug!(run_id = %run, "the end of a run is published again");
                }
            }
        }
        batch.clear();
    }
}

/// Publishes a batch; repeated while Redis is away for a few seconds. A repeated event has no second effect. Returns
/// false when the batch is dropped.
async fn publish_batch(context: &Context, batch: &[Frame], stop: &CancellationToken) -> bool {
    for attempt in 1..=MAX_PUBLISH_ATTEMPTS {
        let Err(error) = append(context, batch).await else { return true };
        tracing::debug!(%error, events = batch.len(), attempt, "events of runs cannot be published");
        let pause = tokio::time::sleep(PUBLISH_RETRY_DELAY);
        if attempt == MAX_PUBLISH_ATTEMPTS || stop.run_until_cancelled(pause).await.is_none() {
            return false;
        }
    }
    false
}

/// Removes the marks of published ends, until no more are published.
async fn unmark_all(context: &Context, mut published: Receiver<Uuid>) {
    let mut runs = Vec::new();
    while published.recv_many(&mut runs, MAX_WAITING).await > 0 {
        if let Err(error) = unmark(context, &runs).await {
            tracing::debug!(%error, runs = runs.len(), "ends of runs are published again");
        }
        runs.clear();
    }
}

async fn append(context: &Context, batch: &[Frame]) -> Result<()> {
    let mut trip = RoundTrip::default();
    for frame in batch {
        let _appended = context.events.append_in(&mut trip, &frame.event)?;
    }
    trip.send(&context.redis).await?;
    Ok(())
}

/// Removes the marks of published ends. The commit need not reach the disk: an end whose mark returns is published
/// again, which has no effect.
async fn unmark(context: &Context, runs: &[Uuid]) -> Result<()> {
    const UNMARK: &str = "
        WITH published AS (
            SELECT id, set_config('synchronous_commit', 'off', true) FROM automation_runs
            WHERE id = ANY($1) AND publish_end_at IS NOT NULL FOR UPDATE SKIP LOCKED
        )
        UPDATE automation_runs AS run SET publish_end_at = NULL FROM published WHERE run.id = published.id";
    let mut connection = context.databases.postgres.get().await?;
    sql_query(UNMARK).bind::<Array<SqlUuid>, _>(runs).prepared().execute(&mut *connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use automation_model::live::RunOf;
    use chrono::DateTime;

    use super::*;

    #[tokio::test]
    async fn frames_have_room_until_as_many_wait() {
        let (frames, mut waiting) = Frames::new();
        let run = RunOf { account_id: Uuid::nil(), automation_id: Uuid::nil(), run_id: Uuid::nil() };
        let event = || run.finished("succeeded", None, DateTime::UNIX_EPOCH);
        for _ in 1..MAX_WAITING {
            frames.send(event());
        }
        assert!(frames.has_room(1) && !frames.has_room(2));
        frames.send_end(Uuid::nil(), event());
        assert!(!frames.has_room(1));
        waiting.recv().await.unwrap();
        assert!(frames.has_room(1));
    }

    #[test]
    fn pace_delays_what_exceeds_a_second_of_the_account() {
        let (mut pace, now) = (Pace::default(), Instant::now());
        let (busy, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(pace.delay(busy, MAX_EVENTS_PER_SECOND, now), Duration::ZERO);
        assert_eq!(pace.delay(busy, MAX_EVENTS_PER_SECOND / 2, now), BURST_DURATION / 2);
        assert_eq!(pace.delay(busy, MAX_EVENTS_PER_SECOND, now), BURST_DURATION * 3 / 2);
        assert_eq!(pace.delay(other, 1, now), Duration::ZERO, "another account does not wait");
        let later = now + BURST_DURATION * 3 / 2;
        assert_eq!(pace.delay(busy, MAX_EVENTS_PER_SECOND / 2, later), BURST_DURATION / 2);
        assert_eq!(pace.used_until.len(), 1, "the idle account is forgotten");
        let idle = later + BURST_DURATION * 10;
        assert_eq!(
            pace.delay(busy, MAX_EVENTS_PER_SECOND, idle),
            Duration::ZERO,
            "nothing is saved up or owed"
        );
        assert!(pace.delay(busy, 1, idle) > Duration::ZERO);
    }
}
