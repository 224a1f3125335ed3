//! A channel that somebody listens to: who, up to where, and in which order.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use shared::events::{Channel, Position};
use tokio::{sync::watch, time::Instant};
use uuid::Uuid;

use super::Hub;
use crate::{
    protocol::{Closing, Delivery, MAX_QUEUED_FRAMES},
    socket::{Queued, Signal, Socket},
};

/// How long a channel stays subscribed to after its last socket left: whoever reconnects finds it warm.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Events that may arrive while what was missed before them is read.
const MAX_HELD_EVENTS: usize = 4096;
/// Held events that go to sockets before these are written to: well below what one may have waiting.
const REPLAY_BATCH_SIZE: usize = 128;
/// Sockets that are written to by whoever brings an event.
const MAX_CONCURRENT_WRITES: usize = 4;
/// Sockets that one task writes to: about half a millisecond of work, which others on its thread wait for.
const WRITTEN_BY_ONE_TASK: usize = 128;

/// A channel.
pub struct Topic {
    channel: Channel,
    /// As clients write it.
    label: String,
    /// As Redis knows it.
    name: String,
    live: watch::Sender<bool>,
    inner: Mutex<Inner>,
}

struct Inner {
    listeners: HashMap<Uuid, Listener>,
    /// Where in the log the last event stands that was sent; `None` until the log was looked at.
    cursor: Option<Position>,
    /// What arrives while events before it are still to be read; `None` when nothing is held.
    held: Option<Vec<Delivery>>,
    empty_since: Instant,
    is_ended: bool,
}

struct Listener {
    socket: Arc<Socket>,
    /// What arrives while the socket is still sent what it missed.
    held: Option<VecDeque<Delivery>>,
    /// Where the last event stands that was sent from the log: the subscription runs behind the log, so what stands
    /// before may yet arrive.
    after: Position,
}

/// A socket's place among a channel's listeners; leaves when it is dropped.
pub struct Attached {
    topic: Arc<Topic>,
    socket: Uuid,
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.topic.detach(self.socket);
    }
}

impl Topic {
    pub(super) fn new(channel: Channel, name: String) -> Self {
        let inner = Inner {
            listeners: HashMap::new(),
            cursor: None,
            held: None,
            empty_since: Instant::now(),
            is_ended: false,
        };
        Self {
            channel,
            label: channel.to_string(),
            name,
            live: watch::Sender::new(false),
            inner: Mutex::new(inner),
        }
    }

    /// The channel as clients write it.
    pub fn label(&self) -> &str {
        &self.label
    }

    pub(super) const fn channel(&self) -> Channel {
        self.channel
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_live(&self) -> bool {
        *self.live.borrow()
    }

    /// Waits until the channel is subscribed to.
    pub(super) async fn live(&self) -> bool {
        self.live.subscribe().wait_for(|live| *live).await.is_ok()
    }

    pub(super) fn is_listened_to(&self) -> bool {
        !self.lock().listeners.is_empty()
    }

    /// Adds a socket. Its reply is queued first and every later event after it. `None` when the topic has ended
    /// meanwhile: then join again.
    pub fn attach(self: &Arc<Self>, socket: &Arc<Socket>, reply: Bytes) -> Option<Attached> {
        self.add(socket, None, Some(reply))
    }

    /// Adds a socket whose events are held until [`Topic::release`].
    pub(super) fn attach_held(self: &Arc<Self>, socket: &Arc<Socket>) -> Option<Attached> {
        self.add(socket, Some(VecDeque::new()), None)
    }

    fn add(
        self: &Arc<Self>,
        socket: &Arc<Socket>,
        held: Option<VecDeque<Delivery>>,
        reply: Option<Bytes>,
    ) -> Option<Attached> {
        let mut inner = self.lock();
        if inner.is_ended {
            return None;
        }
        let queued = reply.map(|reply| socket.queue(reply));
        inner
            .listeners
            .insert(socket.id(), Listener { socket: Arc::clone(socket), held, after: Position::START });
        drop(inner);
        if queued == Some(Queued::Due) {
            socket.flush();
        }
        Some(Attached { topic: Arc::clone(self), socket: socket.id() })
    }

    fn detach(&self, socket: Uuid) {
        let mut inner = self.lock();
        inner.listeners.remove(&socket);
        if inner.listeners.is_empty() {
            inner.empty_since = Instant::now();
        }
    }

    /// Sends a socket what was held for it, without what it was sent from the log, and lets events through.
    pub(super) fn release(&self, hub: &Hub, socket: &Socket, before: Option<Bytes>, after: Position) {
        let mut inner = self.lock();
        if let Some(before) = before {
            hub.push(socket, before);
        }
        let Some(listener) = inner.listeners.get_mut(&socket.id()) else { return };
        listener.after = after;
        let mut due = Vec::new();
        for delivery in listener.held.take().unwrap_or_default() {
            listener.take(hub, &delivery, &mut due);
        }
        drop(inner);
        write_out(due);
    }

    /// Sends an event to everybody who listens.
    pub(super) fn deliver(&self, hub: &Hub, delivery: Delivery) {
        let mut inner = self.lock();
        match &mut inner.held {
            // One more than the bound tells that the bound was passed.
            Some(held) if held.len() <= MAX_HELD_EVENTS => held.push(delivery),
            Some(_) => {}
            None => {
                let due = inner.pass_on(hub, &delivery);
                drop(inner);
                write_out(due);
            }
        }
    }

    /// Holds events from now on: the subscription begins, or begins again, and what came before is to be read first.
    pub(super) fn hold(&self) {
        self.live.send_replace(false);
        self.lock().held = Some(Vec::new());
    }

    /// Nothing arrives for now.
    pub(super) fn interrupt(&self) {
        self.live.send_replace(false);
    }

    /// Where the last event stands that was sent; `None` until the log was looked at.
    pub(super) fn cursor(&self) -> Option<Position> {
        self.lock().cursor
    }

    /// Sends an event that was read from the log while others are held.
    pub(super) fn deliver_missed(&self, hub: &Hub, delivery: &Delivery) {
        let due = self.lock().pass_on(hub, delivery);
        write_out(due);
    }

    /// Sends what was held, without what was read from the log, and lets events through. Answers whether it is whole.
    pub(super) fn go_live(&self, hub: &Hub) -> bool {
        let mut inner = self.lock();
        let held = inner.held.take().unwrap_or_default();
        if held.len() > MAX_HELD_EVENTS {
            return false;
        }
        // Written as it goes: all at once would be more than a socket may have waiting.
        for part in held.chunks(REPLAY_BATCH_SIZE) {
            let due: Vec<_> = part.iter().flat_map(|delivery| inner.pass_on(hub, delivery)).collect();
            due.iter().for_each(|socket| socket.flush());
        }
        drop(inner);
        self.live.send_replace(true);
        true
    }

    /// Notes where the log stands, after nothing or none of what came before counts any more.
    pub(super) fn place(&self, newest: Position) {
        let mut inner = self.lock();
        inner.cursor = Some(newest);
        inner.listeners.values_mut().for_each(|listener| listener.after = Position::START);
    }

    /// Gives whoever listens something to look at.
    pub(super) fn signal(&self, signal: Signal) {
        self.lock().listeners.values().for_each(|listener| listener.socket.signal(signal));
    }

    /// Events were lost: whoever listens is told to come back, because what it has is not whole.
    pub(super) fn lose(&self, hub: &Hub) {
        for listener in self.lock().listeners.values() {
            hub.close(&listener.socket, Closing::EventsLost);
        }
    }

    /// Ends the topic when nobody has listened for a while.
    pub(super) fn end_if_idle(&self) -> bool {
        let mut inner = self.lock();
        if inner.listeners.is_empty() && inner.empty_since.elapsed() >= IDLE_TIMEOUT {
            inner.is_ended = true;
        }
        inner.is_ended
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Queues an event for everybody unless it, or one after it, was queued before. Answers whose queues are to be
    /// written out, which is done when the topic is no longer locked.
    #[must_use]
    fn pass_on(&mut self, hub: &Hub, delivery: &Delivery) -> Vec<Arc<Socket>> {
        if let Some(position) = delivery.position {
            if self.cursor.is_some_and(|cursor| position <= cursor) {
                return Vec::new();
            }
            self.cursor = Some(position);
        }
        let mut due = Vec::with_capacity(self.listeners.len());
        for listener in self.listeners.values_mut() {
            listener.take(hub, delivery, &mut due);
        }
        hub.metrics.deliveries.inc_by(self.listeners.len() as u64);
        due
    }
}

impl Listener {
    fn take(&mut self, hub: &Hub, delivery: &Delivery, due: &mut Vec<Arc<Socket>>) {
        match &mut self.held {
            None if delivery.position.is_some_and(|position| position <= self.after) => {}
            None => match self.socket.queue(delivery.frame.clone()) {
                Queued::Due => due.push(Arc::clone(&self.socket)),
                Queued::Overflow => hub.metrics.closed(Closing::SlowConsumer),
                Queued::Waiting | Queued::Closed => {}
            },
            Some(held) if held.len() < MAX_QUEUED_FRAMES => held.push_back(delivery.clone()),
            Some(_) => hub.close(&self.socket, Closing::SlowConsumer),
        }
    }
}

/// Writes what is due: a few sockets at once, many by tasks that every thread takes part in.
fn write_out(mut due: Vec<Arc<Socket>>) {
    if due.len() <= MAX_CONCURRENT_WRITES {
        return due.iter().for_each(|socket| socket.flush());
    }
    while !due.is_empty() {
        let part = due.split_off(due.len().saturating_sub(WRITTEN_BY_ONE_TASK));
        tokio::spawn(async move { part.iter().for_each(|socket| socket.flush()) });
    }
}
