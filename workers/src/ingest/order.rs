//! The order of what one channel tells: its deliveries are handled one after the other, by the platform's time, so that
//! a line does not come before the one that was said earlier, nor a removal before its message.
//!
//! In one process that is strict. Among processes a delivery waits for earlier ones that came a moment ago; an older one
//! that is still open has lost its process or cannot be handled, and holds nobody up. Whoever has waited for long goes on
//! out of turn.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};
use uuid::Uuid;

use super::inbox::{self, Delivery};
use crate::Context;

/// Longest wait for one's turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether another process is done with an earlier delivery.
const LOOK_EVERY: Duration = Duration::from_millis(10);

type Channel = (String, String);
/// Deliveries of one time go by id; the number tells two runs for the same delivery apart.
type Turn = (DateTime<Utc>, Uuid, u64);

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
    turns: BTreeSet<Turn>,
    /// The delivery that is handled now, in its turn.
    busy: Option<Turn>,
    /// Handled here, and about to be noted as that.
    done: HashSet<Uuid>,
    moved: Arc<Notify>,
}

/// A place among the deliveries of a channel, until it is dropped.
pub(super) struct Place {
    lanes: Arc<Lanes>,
    channel: Channel,
    turn: Turn,
}

/// Waits until a delivery may be handled; those that name no channel need not.
///
/// # Errors
/// When the database fails.
pub(super) async fn wait_for_turn(
    context: &Context,
    lanes: &Arc<Lanes>,
    delivery: &Delivery,
) -> shared::Result<Option<Place>> {
    let Some(channel_id) = delivery.channel_id.clone() else { return Ok(None) };
    let place = Lanes::enter(lanes, (delivery.platform.clone(), channel_id), delivery.sent_at, delivery.id);
    let (mut is_preceded, give_up) = (delivery.is_preceded, Instant::now() + PATIENCE);
    while timeout_at(give_up, place.comes_first()).await.is_ok() {
        if !is_preceded && place.begin() {
            return Ok(Some(place));
        }
        let now = context.clock.now();
        let mut connection = context.databases.postgres.get().await?;
        // As of before the question: what is done by then is noted sooner or later.
        let done = place.done();
        is_preceded = inbox::is_preceded(&mut connection, delivery, &done, now).await?;
        drop(connection);
        if is_preceded {
            // Another process has it, or this one has not read it yet: whoever is earlier may come before us.
            tokio::time::sleep(LOOK_EVERY).await;
        }
        if give_up <= Instant::now() {
            break;
        }
    }
    tracing::debug!(delivery_id = %delivery.id, "a delivery is handled out of its turn");
    Ok(Some(place))
}

impl Lanes {
    fn enter(lanes: &Arc<Self>, channel: Channel, sent_at: DateTime<Utc>, id: Uuid) -> Place {
        let mut state = lanes.lock();
        state.places += 1;
        let turn = (sent_at, id, state.places);
        state.by_channel.entry(channel.clone()).or_default().turns.insert(turn);
        Place { lanes: lanes.clone(), channel, turn }
    }

    /// Each change of the state is whole, so that after a panic elsewhere it still is.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until nobody is handled and no earlier one waits.
    async fn comes_first(&self) {
        loop {
            let Some(moved) = self.moved_unless_first() else { return };
            let mut moved = std::pin::pin!(moved.notified());
            // Registered before looking again, or a change in between would go unnoticed.
            moved.as_mut().enable();
            if self.moved_unless_first().is_none() {
                return;
            }
            moved.await;
        }
    }

    fn moved_unless_first(&self) -> Option<Arc<Notify>> {
        let state = self.lanes.lock();
        let lane = state.by_channel.get(&self.channel)?;
        let is_first = lane.busy.is_none() && lane.turns.first() == Some(&self.turn);
        (!is_first).then(|| lane.moved.clone())
    }

    /// What is handled here and not noted yet.
    fn done(&self) -> Vec<Uuid> {
        let state = self.lanes.lock();
        state
            .by_channel
            .get(&self.channel)
            .map(|lane| lane.done.iter().copied().collect())
            .unwrap_or_default()
    }

    /// The delivery is handled: the next one of this process need not wait until that is noted.
    pub fn hand_on(&self) {
        let mut state = self.lanes.lock();
        let Some(lane) = state.by_channel.get_mut(&self.channel) else { return };
        lane.leave(&self.turn);
        lane.done.insert(self.turn.1);
    }

    /// Takes the turn; `false` when somebody else came first meanwhile.
    fn begin(&self) -> bool {
        let mut state = self.lanes.lock();
        let Some(lane) = state.by_channel.get_mut(&self.channel) else { return true };
        let is_first = lane.busy.is_none() && lane.turns.first() == Some(&self.turn);
        if is_first {
            lane.busy = Some(self.turn);
        }
        is_first
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.lanes.lock();
        let Some(lane) = state.by_channel.get_mut(&self.channel) else { return };
        lane.leave(&self.turn);
        lane.done.remove(&self.turn.1);
        if lane.turns.is_empty() && lane.done.is_empty() {
            state.by_channel.remove(&self.channel);
        }
    }
}

impl Lane {
    fn leave(&mut self, turn: &Turn) {
        self.turns.remove(turn);
        if self.busy == Some(*turn) {
            self.busy = None;
        }
        self.moved.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn enter(lanes: &Arc<Lanes>, second: i64) -> Place {
        let channel = ("twitch".to_owned(), "1".to_owned());
        Lanes::enter(lanes, channel, DateTime::from_timestamp(second, 0).unwrap(), Uuid::nil())
    }

    #[tokio::test]
    async fn the_earliest_goes_first_and_nobody_beside_another() {
        let lanes = Arc::<Lanes>::default();
        let (second, first) = (enter(&lanes, 2), enter(&lanes, 1));
        assert!(second.comes_first().now_or_never().is_none());
        first.comes_first().await;
        assert!(first.begin());
        let earlier = enter(&lanes, 0);
        assert!(earlier.comes_first().now_or_never().is_none(), "one is handled");
        drop(first);
        earlier.comes_first().await;
        assert!(!second.begin() && earlier.begin());
        earlier.hand_on();
        assert_eq!(second.done(), [Uuid::nil()], "handled, and not noted yet");
        let waiting = tokio::spawn(async move { second.comes_first().await });
        drop(earlier);
        waiting.await.unwrap();
        assert!(lanes.lock().by_channel.is_empty(), "nothing is kept of a channel that is quiet");
    }

    #[tokio::test]
    async fn channels_do_not_wait_for_each_other() {
        let lanes = Arc::<Lanes>::default();
        let one = enter(&lanes, 1);
        assert!(one.begin());
        let at = DateTime::from_timestamp(2, 0).unwrap();
        let other = Lanes::enter(&lanes, ("kick".to_owned(), "1".to_owned()), at, Uuid::nil());
        other.comes_first().await;
        assert!(other.begin());
    }
}
