//! One running worker as Redis sees it: its name, and the jobs it holds.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::outcome::Settlement;

/// State shared by the background tasks of one running worker and by the layer around its handler.
#[derive(Debug)]
pub(crate) struct Consumer {
    /// Name in the consumer group. It is never used again, so that no entry of a dead worker is taken for its
    /// own.
    pub name: String,
    /// Jobs that the worker holds.
    pub held: LeasedJobs,
    /// Channel to the settler. It is unbounded, but never longer than the number of permits: each held job
    /// settles once.
    pub settlements: mpsc::UnboundedSender<Settlement>,
    /// Cancelled when no further jobs are to be read.
    pub stop: CancellationToken,
    /// Cancelled when the time of handlers is over: their jobs are put back.
    pub drained: CancellationToken,
    /// Cancelled when everything is to end, also unfinished work.
    pub gone: CancellationToken,
}

impl Consumer {
    /// Creates a consumer that may hold `concurrency` jobs, with the receiver of its outcomes.
    pub fn new(concurrency: usize) -> (Arc<Self>, mpsc::UnboundedReceiver<Settlement>) {
        let (settlements, receiver) = mpsc::unbounded_channel();
        let consumer = Self {
            name: format!("{}-{}", std::process::id(), uuid::Uuid::now_v7()),
            held: LeasedJobs::new(concurrency),
            settlements,
            stop: CancellationToken::new(),
            drained: CancellationToken::new(),
            gone: CancellationToken::new(),
        };
        (Arc::new(consumer), receiver)
    }

    /// Passes an outcome to the settler.
    pub fn settle(&self, settlement: Settlement) {
        self.held.finish(&settlement.entry_id);
        if let Err(unsent) = self.settlements.send(settlement) {
            // The worker was dropped without being closed. The lease expires and the job runs again.
            tracing::warn!(entry = unsent.0.entry_id, "job finished after its worker was gone");
        }
    }
}

/// Jobs that were read from Redis and are not settled yet. Each occupies one permit.
#[derive(Debug)]
pub(crate) struct LeasedJobs {
    permits: Arc<Semaphore>,
    jobs: Mutex<HashMap<String, LeasedJob>>,
    emptied: Notify,
}

#[derive(Debug)]
struct LeasedJob {
    phase: Phase,
    suspect: bool,
    renewed: bool,
    /// Released when the job is removed.
    _permit: OwnedSemaphorePermit,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    Waiting,
    Running { deadline: Instant },
    Finished,
}

/// Leases to renew, and the number of leases that were given up because their handler hangs.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Renewable {
    /// Entries whose leases are to be renewed.
    pub entry_ids: Vec<String>,
    /// Number of leases that were given up.
    pub stuck: usize,
}

impl LeasedJobs {
    fn new(concurrency: usize) -> Self {
        let permits = Arc::new(Semaphore::new(concurrency));
        Self { permits, jobs: Mutex::default(), emptied: Notify::new() }
    }

    /// Takes all free permits, at least one.
    pub async fn free_permits(&self) -> Option<OwnedSemaphorePermit> {
        let mut permits = self.permits.clone().acquire_owned().await.ok()?;
        let others = u32::try_from(self.permits.available_permits()).unwrap_or(u32::MAX);
        if let Ok(others) = self.permits.clone().try_acquire_many_owned(others) {
            permits.merge(others);
        }
        Some(permits)
    }

    /// Adds a job. Returns `false` when the entry is held already; then the permit is released.
    pub fn add(&self, entry_id: &str, suspect: bool, permit: OwnedSemaphorePermit) -> bool {
        let mut jobs = self.lock();
        if jobs.contains_key(entry_id) {
            return false;
        }
        let job = LeasedJob { phase: Phase::Waiting, suspect, renewed: true, _permit: permit };
        jobs.insert(entry_id.to_owned(), job);
        true
    }

    /// Records the start of the handler. Beyond `max_duration` it can only be blocking its thread.
    pub fn start(&self, entry_id: &str, max_duration: Duration) {
        let deadline = Instant::now() + max_duration;
        self.set_phase(entry_id, Phase::Running { deadline });
    }

    fn finish(&self, entry_id: &str) {
        self.set_phase(entry_id, Phase::Finished);
    }

    /// Removes settled jobs.
    pub fn remove<'a>(&self, entry_ids: impl IntoIterator<Item = &'a str>) {
        let mut jobs = self.lock();
        for entry_id in entry_ids {
            jobs.remove(entry_id);
        }
        if jobs.is_empty() {
            self.emptied.notify_waiters();
        }
    }

    /// Entries of the held jobs.
    pub fn entry_ids(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Number of held jobs.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// True when a held job is a suspect.
    pub fn has_suspect(&self) -> bool {
        self.lock().values().any(|job| job.suspect)
    }

    /// Leases to renew now. One that is given up is counted once and never renewed again, so that another
    /// worker takes the job over.
    pub fn renewable(&self) -> Renewable {
        let (mut renewable, now) = (Renewable::default(), Instant::now());
        for (entry_id, job) in self.lock().iter_mut().filter(|(_, job)| job.renewed) {
            match job.phase {
                Phase::Running { deadline } if deadline < now => {
                    job.renewed = false;
                    renewable.stuck += 1;
                }
                _ => renewable.entry_ids.push(entry_id.clone()),
            }
        }
        renewable
    }

    /// Drops leases whose jobs another worker has taken over. Returns the number of jobs that are still being
    /// worked on: one that has finished meanwhile is missing because it was settled.
    pub fn lose(&self, entry_ids: &[String]) -> usize {
        let mut jobs = self.lock();
        let mut running = 0;
        for entry_id in entry_ids {
            if let Some(job) = jobs.get_mut(entry_id) {
                job.renewed = false;
                running += usize::from(!matches!(job.phase, Phase::Finished));
            }
        }
        running
    }

    /// Waits until nothing is held.
    pub async fn emptied(&self) {
        loop {
            // Registered before the check, or a change in between would go unnoticed.
            let mut emptied = std::pin::pin!(self.emptied.notified());
            emptied.as_mut().enable();
            if self.lock().is_empty() {
                return;
            }
            emptied.await;
        }
    }

    fn set_phase(&self, entry_id: &str, phase: Phase) {
        if let Some(job) = self.lock().get_mut(entry_id) {
            job.phase = phase;
        }
    }

    /// Locks the map. Each change of it is a single call, so after a panic elsewhere it is still consistent.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, LeasedJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn held(concurrency: usize, entry_ids: &[&str]) -> LeasedJobs {
        let held = LeasedJobs::new(concurrency);
        let mut permits = held.free_permits().await.unwrap();
        for entry_id in entry_ids {
            assert!(held.add(entry_id, false, permits.split(1).unwrap()));
        }
        held
    }

    #[tokio::test]
    async fn leased_jobs_release_the_permit_of_a_removed_job() {
        let held = held(3, &["1-0", "2-0"]).await;
        assert_eq!(held.free_permits().await.unwrap().num_permits(), 1);
        held.remove(["1-0"]);
        assert_eq!(held.free_permits().await.unwrap().num_permits(), 2);
    }

    #[tokio::test]
    async fn leased_jobs_hold_a_job_once() {
        let held = held(2, &["1-0"]).await;
        let permit = held.free_permits().await.unwrap();
        assert!(!held.add("1-0", false, permit));
        assert_eq!(held.free_permits().await.unwrap().num_permits(), 1);
    }

    #[tokio::test]
    async fn leased_jobs_give_up_the_lease_of_a_hanging_handler_once() {
        let held = held(3, &["1-0", "2-0", "3-0"]).await;
        held.start("1-0", Duration::ZERO);
        held.start("2-0", Duration::ZERO);
        held.finish("2-0");
        std::thread::sleep(Duration::from_millis(2));
        let mut first = held.renewable();
        first.entry_ids.sort();
        assert_eq!(first, Renewable { entry_ids: vec!["2-0".into(), "3-0".into()], stuck: 1 });
        assert_eq!(held.renewable().stuck, 0);
    }

    #[tokio::test]
    async fn leased_jobs_do_not_renew_a_lost_lease() {
        let held = held(2, &["1-0", "2-0"]).await;
        assert_eq!(held.lose(&["1-0".into(), "gone-0".into()]), 1);
        assert_eq!(held.renewable().entry_ids, ["2-0"]);
    }

    #[tokio::test]
    async fn emptied_ends_when_the_last_job_is_removed() {
        let held = Arc::new(held(2, &["1-0", "2-0"]).await);
        let waiting = tokio::spawn({
            let held = held.clone();
            async move { held.emptied().await }
        });
        held.remove(["1-0"]);
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        held.remove(["2-0"]);
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn leased_jobs_stay_usable_after_a_panic_under_the_lock() {
        let held = Arc::new(held(1, &["1-0"]).await);
        let poisoner = held.clone();
        let panicked = std::thread::spawn(move || {
            let _jobs = poisoner.jobs.lock();
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        assert_eq!(held.len(), 1);
    }
}
