//! A channel with listeners: its sockets, its position in the log and the order of its events.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use bytes::Bytes;
use foundation::events::{Channel, Position};
use tokio::{sync::watch, time::Instant};
use uuid::Uuid;

use super::{Feed, Hub};
use crate::{
    protocol::{Closing, Delivery, MAX_QUEUED_FRAMES},
    socket::{Queued, Signal, Socket},
};

/// Time for which a channel stays subscribed after its last socket left, so that a reconnection finds it
/// ready.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Largest number of events that are held while missed ones are read.
const MAX_HELD_EVENTS: usize = 4096;
/// Held events that are queued before the sockets are written to: well below the bound of a queue.
const REPLAY_BATCH_SIZE: usize = 128;
/// Largest number of sockets that the deliverer of an event writes to itself.
const MAX_CONCURRENT_WRITES: usize = 4;
/// Sockets that one task writes to: about half a millisecond of work, which delays the other tasks of its
/// thread.
const SOCKETS_PER_TASK: usize = 128;

/// A channel.
pub struct Topic {
    channel: Channel,
    /// Name as clients write it.
    label: String,
    /// Name in Redis.
    name: String,
    live: watch::Sender<bool>,
    inner: Mutex<Inner>,
}

struct Inner {
    listeners: HashMap<Uuid, Listener>,
    /// Feeds that listen for their own sockets. Each holds its place here, so that it ends with its sockets.
    feeds: HashMap<Uuid, Weak<Feed>>,
    /// Position of the last event that was sent; `None` until the log was read.
    cursor: Option<Position>,
    /// Events that arrive while earlier ones are still to be read; `None` when nothing is held.
    held: Option<Vec<Delivery>>,
    empty_since: Instant,
    is_ended: bool,
}

/// Sockets to flush after the topic is unlocked, and feeds that may be dropped only then.
#[derive(Default)]
struct Passed {
    due: Vec<Arc<Socket>>,
    _feeds: Vec<Arc<Feed>>,
}

struct Listener {
    socket: Arc<Socket>,
    /// Events that arrive while the socket still gets the missed ones.
    held: Option<VecDeque<Delivery>>,
    /// Position of the last event that was sent from the log. The subscription is behind the log, so earlier
    /// events may still arrive.
    after: Position,
}

/// Place of a socket or feed among the listeners of a channel. Dropping it removes the listener.
pub struct Attached {
    topic: Arc<Topic>,
    listener: Uuid,
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.topic.detach(self.listener);
    }
}

impl Topic {
    pub(super) fn new(channel: Channel, name: String) -> Self {
        let inner = Inner {
            listeners: HashMap::new(),
            feeds: HashMap::new(),
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

    /// Name of the channel as clients write it.
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
        !self.lock().is_unheard()
    }

    /// True when a feed listens, which needs events as they were published.
    pub(super) fn has_feeds(&self) -> bool {
        !self.lock().feeds.is_empty()
    }

    /// Adds a socket. Its reply is queued before every later event. `None` when the topic has ended
    /// meanwhile: join again then.
    pub fn attach(self: &Arc<Self>, socket: &Arc<Socket>, reply: Bytes) -> Option<Attached> {
        self.add(socket, None, Some(reply))
    }

    /// Adds a socket whose events are held until [`Topic::release`].
    pub(super) fn attach_held(self: &Arc<Self>, socket: &Arc<Socket>) -> Option<Attached> {
        self.add(socket, Some(VecDeque::new()), None)
    }

    /// Adds a feed. `None` when the topic has ended meanwhile: join again then.
    pub(super) fn attach_feed(self: &Arc<Self>, feed: &Arc<Feed>) -> Option<Attached> {
        let mut inner = self.lock();
        if inner.is_ended {
            return None;
        }
        inner.feeds.insert(feed.id(), Arc::downgrade(feed));
        Some(Attached { topic: Arc::clone(self), listener: feed.id() })
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
        Some(Attached { topic: Arc::clone(self), listener: socket.id() })
    }

    fn detach(&self, listener: Uuid) {
        let mut inner = self.lock();
        inner.listeners.remove(&listener);
        inner.feeds.remove(&listener);
        if inner.is_unheard() {
            inner.empty_since = Instant::now();
        }
    }

    /// Sends a socket its held events, without those that it got from the log, and lets events through.
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

    /// Sends an event to every listener.
    pub(super) fn deliver(&self, hub: &Hub, delivery: Delivery) {
        let mut inner = self.lock();
        match &mut inner.held {
            // One more than the bound marks that the bound was exceeded.
            Some(held) if held.len() <= MAX_HELD_EVENTS => held.push(delivery),
            Some(_) => {}
            None => {
                let passed = inner.pass_on(hub, self.channel, &delivery);
                drop(inner);
                write_out(passed.due);
            }
        }
    }

    /// Holds events from now on: the subscription begins, or begins again, and earlier events are read first.
    pub(super) fn hold(&self) {
        self.live.send_replace(false);
        self.lock().held = Some(Vec::new());
    }

    /// Marks that no events arrive for now.
    pub(super) fn interrupt(&self) {
        self.live.send_replace(false);
    }

    /// Position of the last event that was sent; `None` until the log was read.
    pub(super) fn cursor(&self) -> Option<Position> {
        self.lock().cursor
    }

    /// Sends an event that was read from the log while others are held.
    pub(super) fn deliver_missed(&self, hub: &Hub, delivery: &Delivery) {
        let passed = self.lock().pass_on(hub, self.channel, delivery);
        write_out(passed.due);
    }

    /// Sends the held events, without those that were read from the log, and lets events through. Returns
    /// false when too many were held.
    pub(super) fn go_live(&self, hub: &Hub) -> bool {
        let mut inner = self.lock();
        let held = inner.held.take().unwrap_or_default();
        if held.len() > MAX_HELD_EVENTS {
            return false;
        }
        let mut passed: Vec<Passed> = Vec::new();
        // Written as it goes: all at once would be more than a socket may have waiting.
        for part in held.chunks(REPLAY_BATCH_SIZE) {
            let start = passed.len();
            passed.extend(part.iter().map(|delivery| inner.pass_on(hub, self.channel, delivery)));
            passed[start..].iter().flat_map(|passed| &passed.due).for_each(|socket| socket.flush());
        }
        drop(inner);
        drop(passed);
        self.live.send_replace(true);
        true
    }

    /// Sets the position of the log when no earlier events count.
    pub(super) fn place(&self, newest: Position) {
        let mut inner = self.lock();
        inner.cursor = Some(newest);
        inner.listeners.values_mut().for_each(|listener| listener.after = Position::START);
    }

    /// Signals every listener.
    pub(super) fn signal(&self, signal: Signal) {
        let inner = self.lock();
        inner.listeners.values().for_each(|listener| listener.socket.signal(signal));
        let feeds = inner.feeds();
        drop(inner);
        feeds.iter().for_each(|feed| feed.signal(signal));
    }

    /// Closes every listener because events were lost: the clients reconnect and resume.
    pub(super) fn lose(&self, hub: &Hub) {
        let inner = self.lock();
        for listener in inner.listeners.values() {
            hub.close(&listener.socket, Closing::EventsLost);
        }
        let feeds = inner.feeds();
        drop(inner);
        feeds.iter().for_each(|feed| feed.lose(hub));
    }

    /// Ends the topic when it had no listener for a while.
    pub(super) fn end_if_idle(&self) -> bool {
        let mut inner = self.lock();
        if inner.is_unheard() && inner.empty_since.elapsed() >= IDLE_TIMEOUT {
            inner.is_ended = true;
        }
        inner.is_ended
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn is_unheard(&self) -> bool {
        self.listeners.is_empty() && self.feeds.is_empty()
    }

    /// The feeds. Whoever drops the last reference to one leaves its topics, so the topic must be unlocked then.
    fn feeds(&self) -> Vec<Arc<Feed>> {
        self.feeds.values().filter_map(Weak::upgrade).collect()
    }

    /// Queues an event for every listener and feed, unless it or a later one was queued before. Returns the sockets to
    /// flush, which happens after the topic is unlocked.
    #[must_use]
    fn pass_on(&mut self, hub: &Hub, channel: Channel, delivery: &Delivery) -> Passed {
        if let Some(position) = delivery.position {
            if self.cursor.is_some_and(|cursor| position <= cursor) {
                return Passed::default();
            }
            self.cursor = Some(position);
        }
        let mut due = Vec::with_capacity(self.listeners.len());
        for listener in self.listeners.values_mut() {
            listener.take(hub, delivery, &mut due);
        }
        let feeds = self.feeds();
        for feed in &feeds {
            feed.take(hub, channel, delivery, &mut due);
        }
        hub.metrics.deliveries.inc_by(self.listeners.len() as u64);
        Passed { due, _feeds: feeds }
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

/// Flushes sockets: a few at once, many by tasks on every thread.
fn write_out(mut due: Vec<Arc<Socket>>) {
    if due.len() <= MAX_CONCURRENT_WRITES {
        return due.iter().for_each(|socket| socket.flush());
    }
    while !due.is_empty() {
        let part = due.split_off(due.len().saturating_sub(SOCKETS_PER_TASK));
        tokio::spawn(async move { part.iter().for_each(|socket| socket.flush()) });
    }
}
