//! Polling of triggers (reference/automations.md#polling): every process checks once a second for due
//! triggers, and each becomes one job.
//!
//! Time is cut into slots of the trigger's interval, shifted by the trigger so that not everything is due at
//! the same time. A slot that no process observes is skipped.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use foundation::jobs::{Producers, RunAutomationTrigger, TriggerSource};
use shared::clock::Clock;
use uuid::Uuid;

use super::poll_at;
use crate::{api::Api, api_failure::ApiFailure};

/// Interval of checks for due triggers.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum interval at which the list of triggers is read. The shortest interval of a trigger is 10 s.
const MAX_READ_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum number of jobs that are added in one step.
const BATCH_SIZE: usize = 500;

/// Polled triggers of one process.
pub struct Polls {
    /// Client of the API.
    pub api: Api,
    /// Producers of the jobs.
    pub jobs: Producers,
    /// Source of the time.
    pub clock: Clock,
    /// Interval at which the list is read.
    pub read_every: Duration,
}

/// Intervals in seconds by trigger.
type Intervals = HashMap<Uuid, i64>;

impl Polls {
    /// Adds the jobs of due triggers; never returns.
    pub async fn run(&self) {
        let (mut intervals, mut slots) = (Intervals::new(), HashMap::new());
        let mut read_at: Option<Instant> = None;
        let read_every = self.read_every.min(MAX_READ_INTERVAL);
        let mut ticks = tokio::time::interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        loop {
            ticks.tick().await;
            if read_at.is_none_or(|at| at.elapsed() >= read_every) {
                read_at = Some(Instant::now());
                match self.read().await {
                    Ok(newest) => intervals = newest,
                    Err(failure) if failure.is_logged() => {}
                    Err(failure) => tracing::warn!(%failure, "continuing with the last known poll triggers"),
                }
            }
            let jobs = due(&intervals, &mut slots, self.clock.now().timestamp());
            for jobs in jobs.chunks(BATCH_SIZE) {
                if let Err(error) = self.jobs.enqueue_each(jobs).await {
                    tracing::warn!(%error, "triggers could not be polled; their next slot follows");
                }
            }
        }
    }

    /// Reads every page; only the intervals are kept.
    async fn read(&self) -> Result<Intervals, ApiFailure> {
        let (mut intervals, mut after) = (Intervals::new(), None);
        loop {
            let page = self.api.polls(after).await?;
            intervals.extend(
                page.registrations
                    .into_iter()
                    .map(|row| (row.id, i64::from(row.poll_interval_seconds).max(1))),
            );
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(intervals),
            }
        }
    }
}

/// Returns triggers whose slot has changed since the last check, with the keys that make each one job for all
/// processes. A trigger that is seen for the first time is not due.
fn due(
    intervals: &Intervals,
    slots: &mut HashMap<Uuid, i64>,
    now: i64,
) -> Vec<(RunAutomationTrigger, String)> {
    slots.retain(|id, _| intervals.contains_key(id));
    let mut due = Vec::new();
    for (id, interval) in intervals {
        let slot = slot_of(*id, *interval, now);
        if slots.insert(*id, slot).is_some_and(|last| last < slot) {
            let occurrence = poll_at(*id, slot);
            let job = RunAutomationTrigger {
                registration_id: *id,
                occurrence: occurrence.clone(),
                source: TriggerSource::Poll,
            };
            due.push((job, occurrence));
        }
    }
    due
}

fn slot_of(id: Uuid, interval: i64, now: i64) -> i64 {
    let shift = id.as_u128() % u128::from(interval.unsigned_abs());
    (now + i64::try_from(shift).unwrap_or_default()).div_euclid(interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_are_due_once_a_slot_and_not_when_first_seen() {
        let id = Uuid::from_u128(20);
        let intervals = Intervals::from([(id, 10)]);
        let mut slots = HashMap::new();
        let mut due_at = |now| due(&intervals, &mut slots, now).len();
        assert_eq!(due_at(100), 0);
        assert_eq!(due_at(109), 0);
        assert_eq!(due_at(110), 1);
        assert_eq!(due_at(111), 0);
        assert_eq!(due_at(150), 1, "slots that nobody looked at are skipped");
        assert_eq!(due_at(149), 0, "a clock that goes back repeats nothing");
    }

    #[test]
    fn polls_of_two_processes_make_one_job_of_a_slot() {
        let id = Uuid::from_u128(20);
        let intervals = Intervals::from([(id, 10)]);
        let key = || {
            let mut slots = HashMap::from([(id, 0)]);
            due(&intervals, &mut slots, 110).remove(0).1
        };
        assert_eq!(key(), key());
    }

    #[test]
    fn polls_that_ended_are_forgotten() {
        let mut slots = HashMap::from([(Uuid::from_u128(1), 0)]);
        assert!(due(&Intervals::new(), &mut slots, 100).is_empty());
        assert!(slots.is_empty());
    }
}
