//! From Redis to sockets.
//!
//! - `topic`: a channel that somebody listens to, and who.
//! - `relay`: the one connection that subscribes for all of them, and what happens when it is lost.
//! - `resume`: a socket that asks for what it missed.
//! - `open_sockets`: every socket, by whose it is.

mod open_sockets;
mod relay;
mod resume;
mod topic;

use std::{
    collections::HashMap,
    ops::Deref,
    sync::{
        Arc, PoisonError, RwLock, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use api_core::State;
use bytes::Bytes;
use dashmap::DashSet;
use shared::events::{Channel, Entry};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use open_sockets::{Open, OpenSockets};
pub use resume::resume;
pub use topic::{Attached, Topic};

use crate::{
    metrics::HubMetrics,
    protocol::{Closing, Delivery},
    quota,
    socket::{Signal, Socket},
    watch,
};

/// Longest wait for a subscription to be confirmed by Redis.
const SUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(3);
/// Channels that may wait to be subscribed to.
const WANTED: usize = 1024;
/// Gates that are checked again at once, so that a change for everybody does not take every database connection.
const RECHECKS: usize = 8;
/// Time that sessions have at shutdown to end what they are doing; then their sockets are closed for them.
const SESSION_TIMEOUT: Duration = Duration::from_secs(1);
/// Accounts and installs that ended which are remembered: beyond, those who may listen to any channel listen to ones
/// where nothing will happen again.
const MAX_ENDED: usize = 10_000;

/// The sockets of a process and the channels they listen to. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<Parts>);

/// The parts of a [`Hub`].
pub struct Parts {
    pub(crate) state: State,
    pub(crate) metrics: HubMetrics,
    pub(crate) sockets: OpenSockets,
    pub(crate) rechecks: Semaphore,
    topics: RwLock<HashMap<String, Arc<Topic>>>,
    /// Accounts and installs that ended while this process ran.
    ended: DashSet<Uuid>,
    wanted: mpsc::Sender<Arc<Topic>>,
    changes: AtomicU64,
    closing: AtomicBool,
    stop: CancellationToken,
}

/// Counts the sockets of a hub without keeping it alive: for metrics, which the hub's state holds.
#[derive(Clone)]
pub struct Census(Weak<Parts>);

/// Events cannot be had now.
#[derive(Debug, Clone, Copy)]
pub struct Unavailable;

impl Deref for Hub {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Hub {
    /// Starts relaying, on the current tokio runtime, until [`Hub::shutdown`].
    ///
    /// # Errors
    /// When a metric's name is taken.
    pub fn start(state: State) -> shared::Result<Self> {
        let (wanted, queue) = mpsc::channel(WANTED);
        let hub = Self(Arc::new(Parts {
            metrics: HubMetrics::new(&state.metrics)?,
            sockets: OpenSockets::default(),
            rechecks: Semaphore::new(RECHECKS),
            topics: RwLock::default(),
            ended: DashSet::new(),
            wanted,
            changes: AtomicU64::new(0),
            closing: AtomicBool::new(false),
            stop: CancellationToken::new(),
            state,
        }));
        hub.spawn(relay::run(hub.clone(), queue));
        hub.spawn(watch::changes(hub.clone()));
        hub.spawn(watch::shares(hub.clone()));
        hub.spawn(watch::credentials(hub.clone()));
        hub.spawn(quota::keep(hub.clone()));
        Ok(hub)
    }

    /// Open sockets.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.sockets.len()
    }

    /// Channels that open sockets listen to.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.topics().iter().filter(|topic| topic.is_listened_to()).count()
    }

    /// The same counts for whoever must not keep the hub alive.
    #[must_use]
    pub fn census(&self) -> Census {
        Census(Arc::downgrade(&self.0))
    }

    /// Closes every socket with 1001, and every one that still comes; waits until they are gone, no longer than
    /// `timeout`.
    pub async fn shutdown(&self, timeout: Duration) {
        self.closing.store(true, Ordering::SeqCst);
        self.sockets.signal_all(Signal::Shutdown);
        if tokio::time::timeout(SESSION_TIMEOUT.min(timeout), self.emptied()).await.is_err() {
            // A session that waits for a busy store looks at no signal.
            for open in self.sockets.select(|_| true) {
                self.close(&open.socket, Closing::Shutdown);
            }
            let rest = timeout.saturating_sub(SESSION_TIMEOUT);
            if tokio::time::timeout(rest, self.emptied()).await.is_err() {
                tracing::warn!(sockets = self.sessions(), "sockets did not end in time");
            }
        }
        self.stop.cancel();
    }

    async fn emptied(&self) {
        while self.sessions() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        tokio::spawn(async move { stop.run_until_cancelled_owned(task).await });
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Queues a frame; counts a socket that it makes overflow.
    pub(crate) fn push(&self, socket: &Socket, frame: Bytes) {
        if socket.push(frame) {
            self.metrics.closed(Closing::SlowConsumer);
        }
    }

    /// Closes a socket and counts why.
    pub(crate) fn close(&self, socket: &Socket, closing: Closing) {
        if socket.close(closing) {
            self.metrics.closed(closing);
        }
    }

    /// How many changes of rights were seen: a socket that was let in while one came must look again.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    pub(crate) fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// An account or an install is no more: whoever listens to a channel of it is told.
    pub(crate) fn end(&self, resource: Uuid) {
        if self.ended.len() >= MAX_ENDED {
            self.ended.clear();
        }
        self.ended.insert(resource);
        for topic in self.topics().iter().filter(|topic| topic.channel().resource() == Some(resource)) {
            topic.signal(Signal::Rights);
        }
    }

    /// True when the resource that a channel is of has ended.
    pub(crate) fn has_ended(&self, channel: Channel) -> bool {
        channel.resource().is_some_and(|resource| self.ended.contains(&resource))
    }

    /// A channel that is subscribed to: from now on nothing that is published on it is missed.
    ///
    /// # Errors
    /// When Redis does not confirm the subscription in time.
    pub(crate) async fn join(&self, channel: Channel) -> Result<Arc<Topic>, Unavailable> {
        let topic = self.topic(channel);
        if topic.is_live() {
            return Ok(topic);
        }
        let live = async {
            // An error means that the relay ended; then the wait ends without success.
            if self.wanted.send(Arc::clone(&topic)).await.is_ok() { topic.live().await } else { false }
        };
        match tokio::time::timeout(SUBSCRIBE_TIMEOUT, live).await {
            Ok(true) => Ok(topic),
            Ok(false) | Err(_) => Err(Unavailable),
        }
    }

    /// The frame of an event of the log.
    fn read_entry(&self, topic: &Topic, entry: &Entry) -> Option<Delivery> {
        let delivery = self.read(topic, entry.message.as_bytes())?;
        Some(Delivery { position: Some(entry.position), ..delivery })
    }

    /// The frame of a published message; counts one that is no event.
    fn read(&self, topic: &Topic, message: &[u8]) -> Option<Delivery> {
        Delivery::read(topic.label(), message, self.state.clock.now())
            .inspect_err(|error| {
                tracing::warn!(%error, channel = topic.label(), "a published message is not an event");
                self.metrics.unreadable.inc();
            })
            .ok()
    }

    fn topic(&self, channel: Channel) -> Arc<Topic> {
        let name = self.state.events.topic(&channel.to_string());
        let topics = self.topics.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(topic) = topics.get(&name) {
            return Arc::clone(topic);
        }
        drop(topics);
        let mut topics = self.topics.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(topics.entry(name.clone()).or_insert_with(|| Arc::new(Topic::new(channel, name))))
    }

    fn topics(&self) -> Vec<Arc<Topic>> {
        self.topics.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn find(&self, name: &str) -> Option<Arc<Topic>> {
        self.topics.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Forgets channels that nobody has listened to for a while, and answers them.
    fn forget_idle(&self) -> Vec<Arc<Topic>> {
        let mut topics = self.topics.write().unwrap_or_else(PoisonError::into_inner);
        let idle: Vec<Arc<Topic>> = topics.values().filter(|topic| topic.end_if_idle()).cloned().collect();
        for topic in &idle {
            topics.remove(topic.name());
        }
        idle
    }
}

impl Census {
    /// Open sockets.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.upgrade().map_or(0, |parts| Hub(parts).sessions())
    }

    /// Channels that open sockets listen to.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.0.upgrade().map_or(0, |parts| Hub(parts).channels())
    }
}
