//! Counts of one thread, or of all threads of a runtime, until they are stored.

use std::sync::{Mutex, MutexGuard, PoisonError};

use foundation::redis::{Redis, SeparateConnection};
use redis::RedisError;
use shared::{Result, id};
use tokio::sync::watch;

use super::{
    additions::{Addition, Pending, Sending, Target},
    receipt::{Counted, Progress},
};

/// Hours and consumers that a buffer keeps while Redis is away. Counts of further ones are dropped.
pub(super) const MAX_PENDING: usize = 10_000;

/// Counts of one thread, or of all threads of a runtime.
pub(super) struct Buffer {
    target: Target,
    state: Mutex<State>,
    stored: watch::Sender<Progress>,
    /// `None` before its first use and after a failure.
    connection: tokio::sync::Mutex<Option<SeparateConnection>>,
}

#[derive(Default)]
pub(super) struct State {
    /// Counts that no addition has yet.
    pub pending: Pending,
    /// Generation of the pending counts.
    generation: u64,
    /// Counts that are being added.
    pub sending: Option<Sending>,
    /// Number of the last addition.
    last_number: u64,
    /// True while a task makes the additions.
    is_sending: bool,
}

/// Count that a buffer has taken.
pub(super) struct Added {
    pub generation: u64,
    /// True when a task has to begin that makes the additions.
    pub begins: bool,
}

impl Buffer {
    /// Buffer without counts. Its additions have numbers of their own.
    pub fn new(redis: &Redis) -> Self {
        let (stored, _) = watch::channel(Progress { next_generation: 0, is_away: false });
        let target = Target::of(redis, id::new());
        Self { target, state: Mutex::default(), stored, connection: tokio::sync::Mutex::default() }
    }

    /// Adds a count to those that wait; `None` when too many wait.
    pub fn add(&self, counted: &Counted) -> Option<Added> {
        let mut state = self.state();
        let key = (counted.hour, counted.consumer);
        if state.pending.len() >= MAX_PENDING && !state.pending.contains_key(&key) {
            return None;
        }
        state.pending.entry(key).or_default().add(counted.counter, counted.number);
        let begins = !std::mem::replace(&mut state.is_sending, true);
        Some(Added { generation: state.generation, begins })
    }

    /// Receiver of the progress.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.stored.subscribe()
    }

    /// Returns the addition to make next: one whose answer was lost before all others. `None` when nothing waits; the
    /// task then ends.
    pub fn next_addition(&self) -> Option<Addition> {
        let mut state = self.state();
        loop {
            if let Some(addition) = state.sending.as_ref().and_then(|sending| sending.left.front()) {
                return Some(addition.clone());
            }
            if let Some(done) = state.sending.take() {
                self.publish(&done);
            }
            if state.pending.is_empty() {
                state.is_sending = false;
                return None;
            }
            let (pending, generation) = (std::mem::take(&mut state.pending), state.generation);
            let sending = Sending::of(pending, generation, state.last_number);
            state.generation = generation.saturating_add(1);
            state.last_number = sending.last_number(state.last_number);
            state.sending = Some(sending);
        }
    }

    /// Makes an addition. A connection that was lost since the last one is replaced.
    ///
    /// # Errors
    /// A failure of Redis; the addition may have been made.
    pub async fn send(&self, redis: &Redis, addition: &Addition) -> Result<()> {
        let mut kept = self.connection.lock().await;
        if let Some(mut connection) = kept.take() {
            match self.target.add(&mut connection, addition).await {
                Ok(()) => {
                    *kept = Some(connection);
                    return Ok(());
                }
                // After a timeout the server is away: a second attempt would hide that for as long again.
                Err(error) if is_lost(&error) && !error.is_timeout() => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut connection = redis.separate().await?;
        self.target.add(&mut connection, addition).await?;
        *kept = Some(connection);
        Ok(())
    }

    /// Records that an addition is made.
    pub fn settle(&self, made: &Addition) {
        let mut state = self.state();
        let Some(sending) = state.sending.as_mut() else { return };
        if sending.left.front().is_some_and(|first| first.number == made.number) {
            sending.left.pop_front();
        }
        if sending.left.is_empty()
            && let Some(done) = state.sending.take()
        {
            self.publish(&done);
        }
    }

    /// Records a failure: receipts do not wait until the next success.
    pub fn report_failure(&self) {
        self.stored.send_modify(|progress| progress.is_away = true);
    }

    /// Records that no task makes additions.
    pub fn end_sending(&self) {
        self.state().is_sending = false;
    }

    fn publish(&self, done: &Sending) {
        let next_generation = done.generation.saturating_add(1);
        self.stored.send_replace(Progress { next_generation, is_away: false });
    }

    /// State, for one change or reading.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_lost(error: &RedisError) -> bool {
    error.is_unrecoverable_error() || error.is_io_error()
}
