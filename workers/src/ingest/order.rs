//! The order of what one channel tells: its deliveries are handled one after the other, by the platform's time, so that
//! a line does not come before the one that was said earlier, nor a removal before its message.
//!
//! Whoever has the turn of a channel takes what waits of it along in a batch, also what other jobs and other processes
//! wait for: they find it handled. In one process one job leads at a time; among processes a lease in Redis tells whose
//! turn it is. A job that leads does so until its own delivery is handled, then another that waits goes on. A delivery
//! that fails is tried again by its own job; later ones of its channel wait for that only while it is new. Who leads and
//! waits long for another process goes on out of turn.
//!
//! A job waits or leads for a part of its time only. Then it comes again, which is no failed attempt, and others take its
//! delivery along meanwhile: a backlog of minutes costs no attempts and cuts nobody off in the middle of a batch.

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

/// Jobs of one channel that wait in a process, so that it has room for those of others.
const MAX_WAITING: usize = 50;
/// Deliveries whose jobs were put back and that are known to wait; further ones keep their order as far as they are new.
const MAX_PUT_BACK: usize = 10_000;
/// Those of them that are taken along at a time.
const PUT_BACK_BATCH_SIZE: usize = 100;
const MAX_FAILED: usize = 1000;

/// Platform and the platform's id of the channel.
pub(super) type Channel = (String, String);

/// Who waits in this process.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: Mutex<State>,
}

#[derive(Default)]
struct State {
    places: u64,
    by_channel: HashMap<Channel, Lane>,
}

#[derive(Default)]
struct Lane {
    /// The delivery of each place.
    waiting: BTreeMap<u64, (DateTime<Utc>, Uuid)>,
    /// What became of places that do not know it yet.
    ended: HashMap<u64, Ended>,
    /// Deliveries whose jobs found no place.
    put_back: BTreeSet<(DateTime<Utc>, Uuid)>,
    /// Deliveries that wait for their own jobs to try again.
    failed: HashSet<Uuid>,
    leader: Option<u64>,
    moved: Arc<Notify>,
}

/// A place among the deliveries of a channel, until it is dropped.
pub(super) struct Place {
    lanes: Arc<Lanes>,
    channel: Channel,
    number: u64,
}

/// What became of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    Handled,
    Failed(String),
}

/// What a place comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Somebody else has taken the delivery along.
    Ended(Ended),
    /// The place leads its channel in this process until it is dropped.
    Lead {
        /// It had not to wait for that.
        at_once: bool,
    },
}

/// Deliveries that are waited for here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub ids: Vec<Uuid>,
    /// The platform's time of the earliest.
    pub earliest: DateTime<Utc>,
}

impl Ended {
    pub fn into_result(self) -> Result<()> {
        match self {
            Self::Handled => Ok(()),
            Self::Failed(error) => Err(Error::Internal(error)),
        }
    }
}

impl Lanes {
    /// A place for a delivery's job; `None` when so many wait that its job shall come again later.
    pub fn enter(
        lanes: &Arc<Self>,
        channel: Channel,
        sent_at: DateTime<Utc>,
        delivery_id: Uuid,
    ) -> Option<Place> {
        let mut state = lanes.lock();
        state.places += 1;
        let number = state.places;
        let lane = state.by_channel.entry(channel.clone()).or_default();
        if lane.waiting.len() >= MAX_WAITING {
            lane.put_back((sent_at, delivery_id));
            return None;
        }
        lane.waiting.insert(number, (sent_at, delivery_id));
        Some(Place { lanes: lanes.clone(), channel, number })
    }

    /// Each change of the state is whole, so that after a panic elsewhere it still is.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until the delivery was taken along or the place leads; `None` when that takes too long.
    pub async fn turn(&self, until: Instant) -> Option<Turn> {
        timeout_at(until, self.next_turn()).await.ok()
    }

    async fn next_turn(&self) -> Turn {
        let mut at_once = true;
        loop {
            let moved = match self.look(at_once) {
                Ok(turn) => return turn,
                Err(moved) => moved,
            };
            at_once = false;
            let mut moved = std::pin::pin!(moved.notified());
            // Registered before looking again, or a change in between would go unnoticed.
            moved.as_mut().enable();
            if let Ok(turn) = self.look(at_once) {
                return turn;
            }
            moved.await;
        }
    }

    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Whether nothing else of the channel waits in this process.
    pub fn is_alone(&self) -> bool {
        self.with_lane(|lane| lane.waiting.len() <= 1 && lane.put_back.is_empty()).unwrap_or(true)
    }

    /// What waits here.
    pub fn wanted(&self) -> Wanted {
        let wanted = self.with_lane(|lane| {
            let put_back = lane.put_back.iter().take(PUT_BACK_BATCH_SIZE);
            let all: BTreeSet<(DateTime<Utc>, Uuid)> =
                lane.waiting.values().chain(put_back).copied().collect();
            let earliest = all.first().map(|(sent_at, _)| *sent_at);
            Some(Wanted { earliest: earliest?, ids: all.into_iter().map(|(_, id)| id).collect() })
        });
        wanted.flatten().unwrap_or_default()
    }

    /// Whether the delivery has failed and its own job does not try again at this moment.
    pub fn waits_for_its_job(&self, delivery_id: Uuid) -> bool {
        self.with_lane(|lane| lane.failed.contains(&delivery_id) && !lane.is_waiting(delivery_id))
            .unwrap_or(false)
    }

    pub fn handled(&self, deliveries: &HashSet<Uuid>) {
        self.with_lane(|lane| {
            lane.failed.retain(|id| !deliveries.contains(id));
            lane.end(deliveries, &Ended::Handled);
        });
    }

    pub fn failed(&self, delivery_id: Uuid, error: &Error) {
        self.with_lane(|lane| {
            if lane.failed.len() < MAX_FAILED {
                lane.failed.insert(delivery_id);
            }
            lane.end(&HashSet::from([delivery_id]), &Ended::Failed(error.to_string()));
        });
    }

    /// What became of this place's own delivery, once.
    pub fn own_end(&self) -> Option<Ended> {
        self.with_lane(|lane| lane.ended.remove(&self.number)).flatten()
    }

    /// Leaves the delivery to those who lead until its job comes again; answers what became of it, if they have taken
    /// it along already.
    pub fn put_back(&self) -> Option<Ended> {
        self.with_lane(|lane| {
            let ended = lane.ended.remove(&self.number);
            if let Some(delivery) = lane.waiting.remove(&self.number) {
                lane.put_back(delivery);
            }
            ended
        })
        .flatten()
    }

    /// The turn, or what tells that something has changed.
    fn look(&self, at_once: bool) -> std::result::Result<Turn, Arc<Notify>> {
        let looked = self.with_lane(|lane| {
            if let Some(ended) = lane.ended.remove(&self.number) {
                return Ok(Turn::Ended(ended));
            }
            if lane.leader.is_some() {
                return Err(lane.moved.clone());
            }
            lane.leader = Some(self.number);
            Ok(Turn::Lead { at_once })
        });
        looked.unwrap_or(Ok(Turn::Lead { at_once }))
    }

    /// A lane stays for as long as it has a place.
    fn with_lane<T>(&self, look: impl FnOnce(&mut Lane) -> T) -> Option<T> {
        self.lanes.lock().by_channel.get_mut(&self.channel).map(look)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.lanes.lock();
        let Some(lane) = state.by_channel.get_mut(&self.channel) else { return };
        lane.waiting.remove(&self.number);
        lane.ended.remove(&self.number);
        if lane.leader == Some(self.number) {
            lane.leader = None;
            lane.moved.notify_waiters();
        }
        if lane.waiting.is_empty() && lane.ended.is_empty() {
            state.by_channel.remove(&self.channel);
        }
    }
}

impl Lane {
    fn is_waiting(&self, delivery_id: Uuid) -> bool {
        self.waiting.values().any(|(_, id)| *id == delivery_id)
    }

    fn put_back(&mut self, delivery: (DateTime<Utc>, Uuid)) {
        if self.put_back.len() < MAX_PUT_BACK {
            self.put_back.insert(delivery);
        }
    }

    fn end(&mut self, deliveries: &HashSet<Uuid>, how: &Ended) {
        self.put_back.retain(|(_, id)| !deliveries.contains(id));
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

    fn enter(lanes: &Arc<Lanes>, channel: &str, number: u128) -> Option<Place> {
        let second = i64::try_from(number).unwrap();
        Lanes::enter(lanes, ("twitch".to_owned(), channel.to_owned()), at(second), id(number))
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn one_leads_and_others_learn_what_became_of_theirs() {
        let lanes = Arc::<Lanes>::default();
        let [three, one, two] = [3, 1, 2].map(|number| enter(&lanes, "1", number).unwrap());
        assert_eq!(three.turn(soon()).await, Some(Turn::Lead { at_once: true }));
        assert!(one.turn(soon()).now_or_never().is_none(), "another leads");
        assert_eq!(three.wanted(), Wanted { ids: vec![id(1), id(2), id(3)], earliest: at(1) });
        assert!(!three.is_alone());
        let waiting = tokio::spawn(async move { (one.turn(soon()).await, one) });
        three.handled(&HashSet::from([id(1)]));
        let (turn, one) = waiting.await.unwrap();
        assert_eq!(turn, Some(Turn::Ended(Ended::Handled)));
        drop(one);
        three.failed(id(2), &Error::Internal("no".to_owned()));
        let Some(Turn::Ended(Ended::Failed(error))) = two.turn(soon()).await else { panic!("it has failed") };
        assert!(error.contains("no"), "{error}");
        drop(two);
        assert!(three.waits_for_its_job(id(2)));
        let again = enter(&lanes, "1", 2).unwrap();
        assert!(!three.waits_for_its_job(id(2)), "its job is back");
        assert_eq!(three.own_end(), None);
        three.handled(&HashSet::from([id(3)]));
        assert_eq!(three.own_end(), Some(Ended::Handled));
        let waiting = tokio::spawn(async move { (again.turn(soon()).await, again) });
        drop(three);
        let (turn, again) = waiting.await.unwrap();
        assert!(matches!(turn, Some(Turn::Lead { .. })), "whoever waits goes on");
        drop(again);
        assert!(lanes.lock().by_channel.is_empty(), "nothing is kept of a channel that is quiet");
    }

    #[tokio::test]
    async fn whoever_gives_up_waiting_or_leading_is_taken_along_all_the_same() {
        let lanes = Arc::<Lanes>::default();
        let [one, two, three] = [1, 2, 3].map(|number| enter(&lanes, "1", number).unwrap());
        assert_eq!(one.turn(soon()).await, Some(Turn::Lead { at_once: true }));
        assert_eq!(two.turn(Instant::now() + Duration::from_millis(5)).await, None, "another leads");
        assert_eq!(two.put_back(), None);
        drop(two);
        assert_eq!(one.wanted().ids, [id(1), id(2), id(3)]);
        one.handled(&HashSet::from([id(2), id(3)]));
        assert_eq!(three.put_back(), Some(Ended::Handled), "at the last moment");
        drop(three);
        assert_eq!(one.wanted().ids, [id(1)]);
        let four = enter(&lanes, "1", 4).unwrap();
        assert_eq!(one.put_back(), None);
        drop(one);
        assert!(matches!(four.turn(soon()).await, Some(Turn::Lead { .. })), "whoever waits goes on");
        assert_eq!(four.wanted().ids, [id(1), id(4)]);
    }

    #[tokio::test]
    async fn channels_do_not_wait_for_each_other_and_a_busy_one_takes_no_more_than_its_part() {
        let lanes = Arc::<Lanes>::default();
        let busy: Vec<Place> =
            (0..MAX_WAITING).map(|number| enter(&lanes, "busy", number as u128).unwrap()).collect();
        assert!(matches!(busy[0].turn(soon()).await, Some(Turn::Lead { .. })));
        assert!(enter(&lanes, "busy", 1000).is_none());
        let other = enter(&lanes, "other", 1).unwrap();
        assert_eq!(other.turn(soon()).await, Some(Turn::Lead { at_once: true }));
        assert!(other.is_alone());
        assert_eq!(busy[0].wanted().ids.last(), Some(&id(1000)), "what was put back is taken along");
        busy[0].handled(&HashSet::from([id(1000)]));
        assert_eq!(busy[0].wanted().ids.len(), MAX_WAITING);
    }
}
