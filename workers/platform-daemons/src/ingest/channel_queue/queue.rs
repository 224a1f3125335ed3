//! Queues of this process: the jobs that wait for the deliveries of a channel.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use shared::{Error, Result};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};
use uuid::Uuid;

use crate::ingest::inbox::Channel;

/// Maximum number of jobs of one channel that wait in a process, so that it has room for those of others.
const MAX_WAITING: usize = 50;
/// Maximum number of known deliveries whose jobs were requeued. Further ones keep their order only while they
/// are new.
const MAX_REQUEUED: usize = 10_000;
/// Maximum number of those that one batch includes.
const REQUEUED_BATCH_SIZE: usize = 100;
/// Maximum number of known failed deliveries of a channel.
const MAX_FAILED: usize = 1000;

/// Queues of this process.
#[derive(Default)]
pub(super) struct Queues {
    queues: Mutex<State>,
}

#[derive(Default)]
struct State {
    next_number: u64,
    by_channel: HashMap<Channel, Queue>,
}

#[derive(Default)]
struct Queue {
    /// Delivery of each entry.
    waiting: BTreeMap<u64, (DateTime<Utc>, Uuid)>,
    /// Results of entries that have not read them yet.
    ended: HashMap<u64, Ended>,
    /// Deliveries whose jobs were requeued.
    requeue: BTreeSet<(DateTime<Utc>, Uuid)>,
    /// Failed deliveries that wait for their own jobs to try again.
    failed: HashSet<Uuid>,
    leader: Option<u64>,
    moved: Arc<Notify>,
}

/// Place of a delivery in the queue of its channel, until it is dropped.
pub(super) struct QueueEntry {
    queues: Arc<Queues>,
    channel: Channel,
    number: u64,
}

/// Result of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    Handled,
    Failed(String),
}

/// Outcome of waiting in a queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EntryOutcome {
    /// Another job has handled the delivery.
    Ended(Ended),
    /// The entry leads its channel in this process until it is dropped.
    Lead {
        /// True when it led without waiting.
        immediate: bool,
    },
}

/// Deliveries that wait in this process.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PendingDeliveries {
    pub ids: Vec<Uuid>,
    /// Platform's time of the earliest.
    pub earliest: DateTime<Utc>,
}

impl Ended {
    /// Returns the error of a failed delivery.
    pub fn into_result(self) -> Result<()> {
        match self {
            Self::Handled => Ok(()),
            Self::Failed(error) => Err(Error::Internal(error)),
        }
    }
}

impl Queues {
    /// Enters a delivery's job into the queue; `None` when too many wait and the job is to be requeued.
    pub fn enter(
        queues: &Arc<Self>,
        channel: Channel,
        sent_at: DateTime<Utc>,
        delivery_id: Uuid,
    ) -> Option<QueueEntry> {
        let mut state = queues.lock();
        state.next_number += 1;
        let number = state.next_number;
        let queue = state.by_channel.entry(channel.clone()).or_default();
        if queue.waiting.len() >= MAX_WAITING {
            queue.requeue((sent_at, delivery_id));
            return None;
        }
        queue.waiting.insert(number, (sent_at, delivery_id));
        Some(QueueEntry { queues: queues.clone(), channel, number })
    }

    /// Ignores poisoning: each change of the state is complete, so the state is valid after a panic
    /// elsewhere.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueEntry {
    /// Waits until the delivery was handled or the entry leads; `None` when that takes too long.
    pub async fn wait(&self, until: Instant) -> Option<EntryOutcome> {
        timeout_at(until, self.next_outcome()).await.ok()
    }

    async fn next_outcome(&self) -> EntryOutcome {
        let mut immediate = true;
        loop {
            let moved = match self.try_lead(immediate) {
                Ok(outcome) => return outcome,
                Err(moved) => moved,
            };
            immediate = false;
            let mut moved = std::pin::pin!(moved.notified());
            // Registered before the next check, or a change in between would be missed.
            moved.as_mut().enable();
            if let Ok(outcome) = self.try_lead(immediate) {
                return outcome;
            }
            moved.await;
        }
    }

    /// Returns the channel of the queue.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// True when nothing else of the channel waits in this process.
    pub fn is_alone(&self) -> bool {
        self.with_queue(|queue| queue.waiting.len() <= 1 && queue.requeue.is_empty()).unwrap_or(true)
    }

    /// Returns the deliveries that wait here.
    pub fn pending(&self) -> PendingDeliveries {
        let pending = self.with_queue(|queue| {
            let requeue = queue.requeue.iter().take(REQUEUED_BATCH_SIZE);
            let all: BTreeSet<(DateTime<Utc>, Uuid)> =
                queue.waiting.values().chain(requeue).copied().collect();
            let earliest = all.first().map(|(sent_at, _)| *sent_at);
            Some(PendingDeliveries { earliest: earliest?, ids: all.into_iter().map(|(_, id)| id).collect() })
        });
        pending.flatten().unwrap_or_default()
    }

    /// True when the delivery has failed and its own job is not trying again at this moment.
    pub fn awaits_retry(&self, delivery_id: Uuid) -> bool {
        self.with_queue(|queue| queue.failed.contains(&delivery_id) && !queue.is_waiting(delivery_id))
            .unwrap_or(false)
    }

    /// Records deliveries as handled.
    pub fn handled(&self, deliveries: &HashSet<Uuid>) {
        self.with_queue(|queue| {
            queue.failed.retain(|id| !deliveries.contains(id));
            queue.end(deliveries, &Ended::Handled);
        });
    }

    /// Records the failure of a delivery.
    pub fn failed(&self, delivery_id: Uuid, error: &Error) {
        self.with_queue(|queue| {
            if queue.failed.len() < MAX_FAILED {
                queue.failed.insert(delivery_id);
            }
            queue.end(&HashSet::from([delivery_id]), &Ended::Failed(error.to_string()));
        });
    }

    /// Returns the result of this entry's own delivery, once.
    pub fn take_result(&self) -> Option<Ended> {
        self.with_queue(|queue| queue.ended.remove(&self.number)).flatten()
    }

    /// Leaves the delivery to leaders until its job runs again. Returns its result if a leader has handled it
    /// already.
    pub fn requeue(&self) -> Option<Ended> {
        self.with_queue(|queue| {
            let ended = queue.ended.remove(&self.number);
            if let Some(delivery) = queue.waiting.remove(&self.number) {
                queue.requeue(delivery);
            }
            ended
        })
        .flatten()
    }

    /// Takes the lead, or returns the notifier of the next change.
    fn try_lead(&self, immediate: bool) -> std::result::Result<EntryOutcome, Arc<Notify>> {
        let outcome = self.with_queue(|queue| {
            if let Some(ended) = queue.ended.remove(&self.number) {
                return Ok(EntryOutcome::Ended(ended));
            }
            if queue.leader.is_some() {
                return Err(queue.moved.clone());
            }
            queue.leader = Some(self.number);
            Ok(EntryOutcome::Lead { immediate })
        });
        outcome.unwrap_or(Ok(EntryOutcome::Lead { immediate }))
    }

    /// Reads the queue, which exists for as long as it has an entry.
    fn with_queue<T>(&self, read: impl FnOnce(&mut Queue) -> T) -> Option<T> {
        self.queues.lock().by_channel.get_mut(&self.channel).map(read)
    }
}

impl Drop for QueueEntry {
    fn drop(&mut self) {
        let mut state = self.queues.lock();
        let Some(queue) = state.by_channel.get_mut(&self.channel) else { return };
        queue.waiting.remove(&self.number);
        queue.ended.remove(&self.number);
        if queue.leader == Some(self.number) {
            queue.leader = None;
            queue.moved.notify_waiters();
        }
        if queue.waiting.is_empty() && queue.ended.is_empty() {
            state.by_channel.remove(&self.channel);
        }
    }
}

impl Queue {
    fn is_waiting(&self, delivery_id: Uuid) -> bool {
        self.waiting.values().any(|(_, id)| *id == delivery_id)
    }

    fn requeue(&mut self, delivery: (DateTime<Utc>, Uuid)) {
        if self.requeue.len() < MAX_REQUEUED {
            self.requeue.insert(delivery);
        }
    }

    fn end(&mut self, deliveries: &HashSet<Uuid>, how: &Ended) {
        self.requeue.retain(|(_, id)| !deliveries.contains(id));
        let ended: Vec<u64> = self
            .waiting
            .iter()
            .filter(|(_, (_, id))| deliveries.contains(id))
            .map(|(number, _)| *number)
            .collect();
        for number in ended {
            self.waiting.remove(&number);
            self.ended.insert(number, how.clone());
        }
        self.moved.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn enter(queues: &Arc<Queues>, channel: &str, number: u128) -> Option<QueueEntry> {
        let second = i64::try_from(number).unwrap();
        Queues::enter(queues, ("twitch".to_owned(), channel.to_owned()), at(second), id(number))
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn channel_queue_has_one_leader_that_reports_to_the_others() {
        let queues = Arc::<Queues>::default();
        let [three, one, two] = [3, 1, 2].map(|number| enter(&queues, "1", number).unwrap());
        assert_eq!(three.wait(soon()).await, Some(EntryOutcome::Lead { immediate: true }));
        assert!(one.wait(soon()).now_or_never().is_none(), "another leads");
        assert_eq!(three.pending(), PendingDeliveries { ids: vec![id(1), id(2), id(3)], earliest: at(1) });
        assert!(!three.is_alone());
        let waiting = tokio::spawn(async move { (one.wait(soon()).await, one) });
        three.handled(&HashSet::from([id(1)]));
        let (outcome, one) = waiting.await.unwrap();
        assert_eq!(outcome, Some(EntryOutcome::Ended(Ended::Handled)));
        drop(one);
        three.failed(id(2), &Error::Internal("no".to_owned()));
        let Some(EntryOutcome::Ended(Ended::Failed(error))) = two.wait(soon()).await else {
            panic!("it has failed")
        };
        assert!(error.contains("no"), "{error}");
        drop(two);
        assert!(three.awaits_retry(id(2)));
        let again = enter(&queues, "1", 2).unwrap();
        assert!(!three.awaits_retry(id(2)), "its job is back");
        assert_eq!(three.take_result(), None);
        three.handled(&HashSet::from([id(3)]));
        assert_eq!(three.take_result(), Some(Ended::Handled));
        let waiting = tokio::spawn(async move { (again.wait(soon()).await, again) });
        drop(three);
        let (outcome, again) = waiting.await.unwrap();
        assert!(matches!(outcome, Some(EntryOutcome::Lead { .. })), "whoever waits goes on");
        drop(again);
        assert!(queues.lock().by_channel.is_empty(), "nothing is kept of a channel that is quiet");
    }

    #[tokio::test]
    async fn channel_queue_handles_entries_that_stopped_waiting_or_leading() {
        let queues = Arc::<Queues>::default();
        let [one, two, three] = [1, 2, 3].map(|number| enter(&queues, "1", number).unwrap());
        assert_eq!(one.wait(soon()).await, Some(EntryOutcome::Lead { immediate: true }));
        assert_eq!(two.wait(Instant::now() + Duration::from_millis(5)).await, None, "another leads");
        assert_eq!(two.requeue(), None);
        drop(two);
        assert_eq!(one.pending().ids, [id(1), id(2), id(3)]);
        one.handled(&HashSet::from([id(2), id(3)]));
        assert_eq!(three.requeue(), Some(Ended::Handled), "at the last moment");
        drop(three);
        assert_eq!(one.pending().ids, [id(1)]);
        let four = enter(&queues, "1", 4).unwrap();
        assert_eq!(one.requeue(), None);
        drop(one);
        assert!(matches!(four.wait(soon()).await, Some(EntryOutcome::Lead { .. })), "whoever waits goes on");
        assert_eq!(four.pending().ids, [id(1), id(4)]);
    }

    #[tokio::test]
    async fn channel_queues_are_independent_and_bounded() {
        let queues = Arc::<Queues>::default();
        let busy: Vec<QueueEntry> =
            (0..MAX_WAITING).map(|number| enter(&queues, "busy", number as u128).unwrap()).collect();
        assert!(matches!(busy[0].wait(soon()).await, Some(EntryOutcome::Lead { .. })));
        assert!(enter(&queues, "busy", 1000).is_none());
        let other = enter(&queues, "other", 1).unwrap();
        assert_eq!(other.wait(soon()).await, Some(EntryOutcome::Lead { immediate: true }));
        assert!(other.is_alone());
        assert_eq!(busy[0].pending().ids.last(), Some(&id(1000)), "what was put back is taken along");
        busy[0].handled(&HashSet::from([id(1000)]));
        assert_eq!(busy[0].pending().ids.len(), MAX_WAITING);
    }
}
