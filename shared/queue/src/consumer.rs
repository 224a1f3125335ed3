//! One running worker as Redis sees it: its name, and the jobs it holds.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::settler::Settlement;

/// Shared by the background tasks of one running worker and by the layer around its handler.
#[derive(Debug)]
pub(crate) struct Consumer {
    /// Name in the consumer group. Never used again, so that nothing a dead worker held is taken for its own.
    pub name: String,
    pub held: Held,
    /// Unbounded, but never longer than the number of permits: each held job settles once.
    pub settlements: mpsc::UnboundedSender<Settlement>,
    /// No further jobs are read.
    pub stop: CancellationToken,
    /// Handlers have had their time: their jobs are put back.
    pub drained: CancellationToken,
    /// Everything ends, whatever is still open.
    pub gone: CancellationToken,
}

impl Consumer {
    pub fn new(concurrency: usize) -> (Arc<Self>, mpsc::UnboundedReceiver<Settlement>) {
        let (settlements, receiver) = mpsc::unbounded_channel();
        let consumer = Self {
            name: format!("{}-{}", std::process::id(), uuid::Uuid::now_v7()),
            held: Held::new(concurrency),
            settlements,
            stop: CancellationToken::new(),
            drained: CancellationToken::new(),
            gone: CancellationToken::new(),
        };
        (Arc::new(consumer), receiver)
    }

    /// Hands an outcome to the settler.
    pub fn settle(&self, settlement: Settlement) {
        self.held.finish(&settlement.entry_id);
        if let Err(unsent) = self.settlements.send(settlement) {
            // The worker was dropped without being closed. The lease runs out and the job runs again.
            tracing::warn!(entry = unsent.0.entry_id, "job finished after its worker was gone");
        }
    }
}

/// Jobs that were read from Redis and are not settled yet. Each occupies one permit.
#[derive(Debug)]
pub(crate) struct Held {
    permits: Arc<Semaphore>,
    jobs: Mutex<HashMap<String, HeldJob>>,
    emptied: Notify,
}

#[derive(Debug)]
struct HeldJob {
    phase: Phase,
    suspect: bool,
    renewed: bool,
    /// Given back when the job is removed.
    _permit: OwnedSemaphorePermit,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    Waiting,
    Running { at_most_until: Instant },
    Finished,
}

/// Leases to renew, and how many were given up because their handler hangs.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Renewable {
    pub entry_ids: Vec<String>,
    pub stuck: usize,
}

impl Held {
    fn new(concurrency: usize) -> Self {
        let permits = Arc::new(Semaphore::new(concurrency));
        Self { permits, jobs: Mutex::default(), emptied: Notify::new() }
    }

    /// All permits that are free, at least one.
    pub async fn free_permits(&self) -> Option<OwnedSemaphorePermit> {
        let mut permits = self.permits.clone().acquire_owned().await.ok()?;
        let others = u32::try_from(self.permits.available_permits()).unwrap_or(u32::MAX);
        if let Ok(others) = self.permits.clone().try_acquire_many_owned(others) {
            permits.merge(others);
        }
        Some(permits)
    }

    /// `false` when the entry is held already; then the permit is given back.
    pub fn add(&self, entry_id: &str, suspect: bool, permit: OwnedSemaphorePermit) -> bool {
        let mut jobs = self.lock();
        if jobs.contains_key(entry_id) {
            return false;
        }
        let job = HeldJob { phase: Phase::Waiting, suspect, renewed: true, _permit: permit };
        jobs.insert(entry_id.to_owned(), job);
        true
    }

    /// The handler begins. Beyond `at_most` it can only be blocking its thread.
    pub fn start(&self, entry_id: &str, at_most: Duration) {
        let at_most_until = Instant::now() + at_most;
        self.set_phase(entry_id, Phase::Running { at_most_until });
    }

    fn finish(&self, entry_id: &str) {
        self.set_phase(entry_id, Phase::Finished);
    }

    pub fn remove<'a>(&self, entry_ids: impl IntoIterator<Item = &'a str>) {
        let mut jobs = self.lock();
        for entry_id in entry_ids {
            jobs.remove(entry_id);
        }
        if jobs.is_empty() {
            self.emptied.notify_waiters();
        }
    }

    pub fn entry_ids(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    pub fn len(&self) -> usize {
        self.lock().len()
    }

    pub fn has_suspect(&self) -> bool {
        self.lock().values().any(|job| job.suspect)
    }

    /// Leases to renew now. One that is given up is counted once and never renewed again, so that another
    /// worker takes the job over.
    pub fn renewable(&self) -> Renewable {
        let (mut renewable, now) = (Renewable::default(), Instant::now());
        for (entry_id, job) in self.lock().iter_mut().filter(|(_, job)| job.renewed) {
            match job.phase {
                Phase::Running { at_most_until } if at_most_until < now => {
                    job.renewed = false;
                    renewable.stuck += 1;
                }
                _ => renewable.entry_ids.push(entry_id.clone()),
            }
        }
        renewable
    }

    /// Another worker has these jobs now; their leases are no longer this one's to renew. Returns how many
    /// are still being worked on: one that has finished meanwhile is not owned because it was settled.
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
            // Registered before looking, or a change in between would go unnoticed.
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

    /// Each change of the map is a single call, so after a panic elsewhere it is still whole.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, HeldJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn held(concurrency: usize, entry_ids: &[&str]) -> Held {
        let held = Held::new(concurrency);
        let mut permits = held.free_permits().await.unwrap();
        for entry_id in entry_ids {
            assert!(held.add(entry_id, false, permits.split(1).unwrap()));
        }
        held
    }

    #[tokio::test]
    async fn removing_a_job_gives_its_permit_back() {
        let held = held(3, &["1-0", "2-0"]).await;
        assert_eq!(held.free_permits().await.unwrap().num_permits(), 1);
        held.remove(["1-0"]);
        assert_eq!(held.free_permits().await.unwrap().num_permits(), 2);
    }

    #[tokio::test]
    async fn a_job_is_held_once() {
        let held = held(2, &["1-0"]).await;
        let permit = held.free_permits().await.unwrap();
        assert!(!held.add("1-0", false, permit));
        assert_eq!(held.free_permits().await.unwrap().num_permits(), 1);
    }

    #[tokio::test]
    async fn the_lease_of_a_hanging_handler_is_given_up_once() {
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
    async fn a_lost_lease_is_not_renewed() {
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
    async fn a_panic_beside_the_map_does_not_lock_it() {
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
