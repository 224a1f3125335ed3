//! The hub: the path of events from Redis to sockets.
//!
//! - `topic`: a channel with listeners.
//! - `relay`: the one connection that subscribes for all of them, and its recovery.
//! - `resume`: delivery of missed events to one socket.
//! - `feed`: what the pages of an overlay or widget get of the channels of its account.
//! - `open_sockets`: every open socket with its holder.

mod feed;
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
use foundation::events::{Channel, Entry};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use feed::{Feed, FeedPlace, resume_feed};
pub use open_sockets::{Open, OpenSockets};
pub use resume::resume;
pub use topic::{Attached, Topic};

use crate::{
    metrics::HubMetrics,
    protocol::{Closing, Delivery},
    socket::{Signal, Socket},
};

/// Longest wait for a subscription to be confirmed by Redis.
const SUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(3);
/// Largest number of channels that wait for a subscription.
const SUBSCRIBE_QUEUE_CAPACITY: usize = 1024;
/// Surfaces whose state is read at once, and sockets whose missed events are.
const MAX_CONCURRENT_FEED_READS: usize = 8;
/// Sockets whose gates are checked again at once, so that a change that affects all of them does not take
/// every database connection.
const MAX_CONCURRENT_RECHECKS: usize = 8;
/// Time for sessions at shutdown to end their work; their sockets are closed afterwards.
const SESSION_TIMEOUT: Duration = Duration::from_secs(1);
/// Number of ended accounts and installs that are remembered. Beyond it, a caller that may listen to every
/// channel can listen to one without further events.
const MAX_ENDED: usize = 10_000;

/// The sockets of a process and their channels. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<Parts>);

/// The parts of a [`Hub`].
pub struct Parts {
    pub(crate) state: State,
    pub(crate) metrics: HubMetrics,
    pub(crate) sockets: OpenSockets,
    pub(crate) rechecks: Semaphore,
    /// Permits to read states and logs for pages. Their own, so that pages delay no check of rights.
    pub(crate) feed_reads: Semaphore,
    topics: RwLock<HashMap<String, Arc<Topic>>>,
    feeds: feed::Feeds,
    /// Accounts and installs that ended while this process ran.
    ended: DashSet<Uuid>,
    wanted: mpsc::Sender<Arc<Topic>>,
    changes: AtomicU64,
    closing: AtomicBool,
    stop: CancellationToken,
}

/// Counts of a hub that do not keep it alive: for metrics, which the hub's state holds.
#[derive(Clone)]
pub struct Census(Weak<Parts>);

/// Error: events are not available now.
#[derive(Debug, Clone, Copy)]
pub struct Unavailable;

impl Deref for Hub {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Hub {
    /// Creates a hub that relays, on the current tokio runtime, until [`Hub::shutdown`].
    ///
    /// # Errors
    /// An error when a metric's name is taken.
    pub(crate) fn new(state: State) -> shared::Result<Self> {
        let (wanted, queue) = mpsc::channel(SUBSCRIBE_QUEUE_CAPACITY);
        let hub = Self(Arc::new(Parts {
            metrics: HubMetrics::new(&state.metrics)?,
            sockets: OpenSockets::default(),
            rechecks: Semaphore::new(MAX_CONCURRENT_RECHECKS),
            feed_reads: Semaphore::new(MAX_CONCURRENT_FEED_READS),
            topics: RwLock::default(),
            feeds: feed::Feeds::default(),
            ended: DashSet::new(),
            wanted,
            changes: AtomicU64::new(0),
            closing: AtomicBool::new(false),
            stop: CancellationToken::new(),
            state,
        }));
        hub.spawn(relay::run(hub.clone(), queue));
        Ok(hub)
    }

    /// Number of open sockets.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.sockets.len()
    }

    /// Number of channels with listeners.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.topics().iter().filter(|topic| topic.is_listened_to()).count()
    }

    /// The same counts, without keeping the hub alive.
    #[must_use]
    pub fn census(&self) -> Census {
        Census(Arc::downgrade(&self.0))
    }

    /// Closes every socket with 1001, and every one that still comes. Waits for their end, at most `timeout`.
    pub async fn shutdown(&self, timeout: Duration) {
        self.closing.store(true, Ordering::SeqCst);
        self.sockets.signal_all(Signal::Shutdown);
        if tokio::time::timeout(SESSION_TIMEOUT.min(timeout), self.emptied()).await.is_err() {
            // A session that waits for a busy store reads no signal.
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

    /// Runs a task until [`Hub::shutdown`].
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        tokio::spawn(async move { stop.run_until_cancelled_owned(task).await });
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Queues a frame. A socket that overflows is counted.
    pub(crate) fn push(&self, socket: &Socket, frame: Bytes) {
        if socket.push(frame) {
            self.metrics.closed(Closing::SlowConsumer);
        }
    }

    /// Closes a socket and counts the reason.
    pub(crate) fn close(&self, socket: &Socket, closing: Closing) {
        if socket.close(closing) {
            self.metrics.closed(closing);
        }
    }

    /// Number of changes of rights so far. A socket that was admitted during a change must check again.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    pub(crate) fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends the channels of an account or install that no longer exists. Their listeners are notified.
    pub(crate) fn end(&self, resource: Uuid) {
        if self.ended.len() >= MAX_ENDED {
            self.ended.clear();
        }
        self.ended.insert(resource);
        for topic in self.topics().iter().filter(|topic| topic.channel().resource() == Some(resource)) {
            topic.signal(Signal::Rights);
        }
    }

    /// True when the account or install of a channel has ended.
    pub(crate) fn has_ended(&self, channel: Channel) -> bool {
        channel.resource().is_some_and(|resource| self.ended.contains(&resource))
    }

    /// Returns a channel with a subscription: every event that is published from now on arrives.
    ///
    /// # Errors
    /// An error when Redis does not confirm the subscription in time.
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

    /// Frame of an event of the log.
    fn read_entry(&self, topic: &Topic, entry: &Entry) -> Option<Delivery> {
        let delivery = self.read(topic, entry.message.as_bytes())?;
        Some(Delivery { position: Some(entry.position), ..delivery })
    }

    /// Frame of a published message. A message that is no event is counted.
    fn read(&self, topic: &Topic, message: &[u8]) -> Option<Delivery> {
        let source = topic.has_feeds().then(|| Bytes::copy_from_slice(message));
        Delivery::read(topic.label(), message, self.state.clock.now())
            .map(|delivery| Delivery { source, ..delivery })
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

    /// Removes channels that were without listeners for a while, and returns them.
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
    /// Number of open sockets.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.upgrade().map_or(0, |parts| Hub(parts).sessions())
    }

    /// Number of channels with listeners.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.0.upgrade().map_or(0, |parts| Hub(parts).channels())
    }
}
