//! Polling of triggers (reference/automations.md#polling): every process checks once a second for due
//! triggers, and each becomes one job.
//!
//! Time is cut into slots of the trigger's interval, shifted by the trigger so that not everything is due at
//! the same time. A slot that no process observes is skipped.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use foundation::jobs::{PollSlot, Producers, RunAutomationTrigger, TriggerSource};
use shared::clock::Clock;
use uuid::Uuid;

use super::poll_at;
use crate::{
    api::Api,
    api_failure::ApiFailure,
    metrics::{PollOutcome, RuntimeMetrics},
};

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
    /// Metrics of the runtime.
    pub metrics: RuntimeMetrics,
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
            let due = due(&intervals, &mut slots, self.clock.now().timestamp());
            self.metrics.polled(PollOutcome::Unobserved, due.unobserved);
            for jobs in due.jobs.chunks(BATCH_SIZE) {
                if let Err(error) = self.jobs.enqueue_each(jobs).await {
                    tracing::warn!(%error, "triggers could not be polled; their next slot follows");
                    self.metrics.polled(PollOutcome::Unobserved, jobs.len() as u64);
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

/// Due polls of a check.
#[derive(Debug, Default)]
struct Due {
    /// Jobs with the keys that make each one job for all processes.
    jobs: Vec<(RunAutomationTrigger, String)>,
    /// Number of slots that passed between two checks of this process. Another one may have observed them.
    unobserved: u64,
}

/// Returns the polls of triggers whose slot has changed since the last check. A trigger that is seen for the
/// first time is not due.
fn due(intervals: &Intervals, slots: &mut HashMap<Uuid, i64>, now: i64) -> Due {
    slots.retain(|id, _| intervals.contains_key(id));
    let mut due = Due::default();
    for (id, interval) in intervals {
        let slot = slot_of(*id, *interval, now);
        let Some(last) = slots.insert(*id, slot).filter(|last| *last < slot) else { continue };
        due.unobserved += u64::try_from(slot - last - 1).unwrap_or_default();
        let occurrence = poll_at(*id, slot);
        let begins_at = slot * interval - shift_of(*id, *interval);
        let job = RunAutomationTrigger {
            registration_id: *id,
            occurrence: occurrence.clone(),
            source: TriggerSource::Poll,
            slot: Some(PollSlot { begins_at, ends_at: begins_at + interval }),
        };
        due.jobs.push((job, occurrence));
    }
    due
}

fn slot_of(id: Uuid, interval: i64, now: i64) -> i64 {
    (now + shift_of(id, interval)).div_euclid(interval)
}

/// Returns the shift of a trigger, so that those of one interval are spread over it.
fn shift_of(id: Uuid, interval: i64) -> i64 {
    i64::try_from(id.as_u128() % u128::from(interval.unsigned_abs())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn polls_are_due_once_a_slot_and_not_when_first_seen() {
        let id = Uuid::from_u128(20);
        let intervals = Intervals::from([(id, 10)]);
        let mut slots = HashMap::new();
        let mut due_at = |now| due(&intervals, &mut slots, now).jobs.len();
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
            due(&intervals, &mut slots, 110).jobs.remove(0).1
        };
        assert_eq!(key(), key());
    }

    #[test]
    fn polls_that_ended_are_forgotten() {
        let mut slots = HashMap::from([(Uuid::from_u128(1), 0)]);
        assert!(due(&Intervals::new(), &mut slots, 100).jobs.is_empty());
        assert!(slots.is_empty());
    }

    #[test]
    fn polls_know_the_bounds_of_their_slot() {
        let id = Uuid::from_u128(27);
        let (intervals, mut slots) = (Intervals::from([(id, 10)]), HashMap::new());
        due(&intervals, &mut slots, 103);
        let found = due(&intervals, &mut slots, 135);
        assert_eq!(found.jobs[0].0.slot, Some(PollSlot { begins_at: 133, ends_at: 143 }));
        assert_eq!(found.unobserved, 2, "the slots that began at 113 and 123");
    }

    #[test]
    fn polls_of_one_interval_are_spread_over_it() {
        let ids = (0..3_000).map(|_| (shared::id::new(), 30));
        let (intervals, mut slots) = (Intervals::from_iter(ids), HashMap::new());
        due(&intervals, &mut slots, 0);
        let due: Vec<usize> = (1..=30).map(|second| due(&intervals, &mut slots, second).jobs.len()).collect();
        assert_eq!(due.iter().sum::<usize>(), 3_000, "each once");
        assert!(due.iter().all(|jobs| (50..=150).contains(jobs)), "about a hundred a second: {due:?}");
    }

    /// Second by second, with a worker that makes six of the ten calls that are due.
    #[test]
    fn polls_of_a_short_worker_share_its_calls_and_never_pile_up() {
        const TRIGGERS: u128 = 300;
        const INTERVAL: i64 = 30;
        const CALLS_PER_SECOND: usize = 6;
        const SECONDS: i64 = 20 * INTERVAL;
        // Ten are due in each second.
        let ids: Vec<Uuid> = (0..TRIGGERS).map(Uuid::from_u128).collect();
        let mut called: HashMap<Uuid, usize> = ids.iter().map(|id| (*id, 0)).collect();
        let (mut intervals, mut slots) = (Intervals::new(), HashMap::new());
        let (mut waiting, mut made, mut late) = (VecDeque::new(), 0, 0);
        for now in 0..=SECONDS {
            // The list is read at least every ten seconds.
            if now % 10 == 0 {
                intervals = ids.iter().map(|id| (*id, INTERVAL)).collect();
            }
            let due = due(&intervals, &mut slots, now);
            assert_eq!(due.unobserved, 0);
            made += due.jobs.len();
            waiting.extend(due.jobs.into_iter().map(|(job, _)| job));
            let mut calls = 0;
            while calls < CALLS_PER_SECOND
                && let Some(job) = waiting.pop_front()
            {
                let slot = job.slot.expect("a poll has a slot");
                if slot.is_over(now) {
                    late += 1;
                    continue;
                }
                assert!((0..INTERVAL).contains(&(now - slot.begins_at)), "late by less than the interval");
                *called.get_mut(&job.registration_id).expect("a trigger") += 1;
                calls += 1;
            }
            assert!(waiting.len() <= ids.len(), "{} polls wait", waiting.len());
        }
        let calls: usize = called.values().sum();
        assert_eq!(calls + late + waiting.len(), made, "each slot is called, skipped or waits");
        assert!(calls >= CALLS_PER_SECOND * usize::try_from(SECONDS - INTERVAL).unwrap(), "{calls} calls");
        assert!(late > made / 5, "{late} of {made} were skipped");
        assert!(called.values().all(|calls| *calls > 0), "each trigger is called: {called:?}");
    }
}
