//! Events of runs on the channel of the account (reference/automations.md#execution). A busy account gets a
//! bounded number of them, so that its runs do not fill the event log.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use foundation::{
    events::{Event, EventLog},
    redis::{Redis, RoundTrip},
};
use shared::Result;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Maximum number of begins and steps of an account that a copy publishes in a second; ends are always
/// published (reference/automations.md#execution).
pub const MAX_EVENTS_PER_SECOND: u32 = 50;
/// Number of events that wait; more are dropped.
const MAX_WAITING: usize = 10_000;
/// Number of events that are published together.
const BATCH_SIZE: usize = 100;

/// Sender of events. A run never waits for them.
pub(super) struct Frames {
    sender: Sender<Event>,
    sent: Mutex<Window>,
}

/// Events of each account in the present second.
#[derive(Debug, Default)]
struct Window {
    second: i64,
    accounts: HashMap<Uuid, u32>,
}

impl Frames {
    /// Returns a sender, and the events that [`publish`] takes.
    pub fn new() -> (Self, Receiver<Event>) {
        let (sender, events) = mpsc::channel(MAX_WAITING);
        (Self { sender, sent: Mutex::default() }, events)
    }

    /// Publishes the begin of a run or a step, unless the account has used up its second.
    pub fn send(&self, account: Uuid, event: Event) {
        if self.count(account, event.timestamp.timestamp()) <= MAX_EVENTS_PER_SECOND {
            self.send_always(event);
        }
    }

    /// Publishes an event.
    pub fn send_always(&self, event: Event) {
        if self.sender.try_send(event).is_err() {
            tracing::debug!("an event of a run is dropped");
        }
    }

    fn count(&self, account: Uuid, second: i64) -> u32 {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if sent.second != second {
            *sent = Window { second, accounts: HashMap::new() };
        }
        let count = sent.accounts.entry(account).or_default();
        *count = count.saturating_add(1);
        *count
    }
}

/// Publishes events in their order, until `stop` is cancelled and none waits.
pub(super) async fn publish(
    log: &EventLog,
    redis: &Redis,
    mut events: Receiver<Event>,
    stop: &CancellationToken,
) {
    let mut batch = Vec::with_capacity(BATCH_SIZE);
    loop {
        if stop.run_until_cancelled(events.recv_many(&mut batch, BATCH_SIZE)).await.is_none() {
            while batch.len() < MAX_WAITING
                && let Ok(event) = events.try_recv()
            {
                batch.push(event);
            }
        }
        if batch.is_empty() {
            return;
        }
        if let Err(error) = send(log, redis, &batch).await {
            tracing::debug!(%error, events = batch.len(), "events of runs cannot be published");
        }
        batch.clear();
    }
}

async fn send(log: &EventLog, redis: &Redis, events: &[Event]) -> Result<()> {
    let mut trip = RoundTrip::default();
    for event in events {
        let _appended = log.append_in(&mut trip, event)?;
    }
    trip.send(redis).await?;
    Ok(())
}
