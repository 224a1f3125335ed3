//! Feeds: what the pages of one overlay or widget get (reference/realtime.md#surfaces).
//!
//! A feed listens to the channels of its account for all sockets of its surface in this process. It makes one
//! frame of each event that the layers use. After a change it reads the new state once, and sends the difference.
//!
//! - `convert`: from an event of another channel to an event of the surface.
//! - `state`: the state of the surface, its sources, and what changed.
//! - `resume`: missed events of one socket.

mod convert;
mod listeners;
mod resume;
mod state;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use foundation::events::Channel;
use shared::id::AccountId;
use surfaces::Surface;
use tokio::sync::Notify;
use uuid::Uuid;

pub use resume::resume_feed;

use super::{Hub, Unavailable};
use crate::{
    protocol::{Closing, Delivery},
    socket::{Queued, Signal, Socket},
};
use convert::Converted;
use listeners::Listeners;
use state::Current;

/// Feeds with listeners, by channel.
#[derive(Default)]
pub struct Feeds(Mutex<HashMap<Channel, Weak<Feed>>>);

/// Feed of a surface. It ends with its last socket.
pub struct Feed {
    id: Uuid,
    /// Name of the channel as clients write it.
    label: String,
    account: AccountId,
    surface: Surface,
    listeners: Listeners,
    /// Number of changes so far that need a new reading of the state.
    changes: AtomicU64,
    changed: Arc<Notify>,
    current: tokio::sync::Mutex<Current>,
}

/// Place of a socket among those of a feed. Dropping it removes the socket.
pub struct FeedPlace {
    feed: Arc<Feed>,
    socket: Uuid,
}

impl FeedPlace {
    /// The feed.
    pub fn feed(&self) -> Arc<Feed> {
        Arc::clone(&self.feed)
    }
}

impl Drop for FeedPlace {
    fn drop(&mut self) {
        self.feed.listeners.remove(self.socket);
    }
}

impl Hub {
    /// Feed of a surface, which listens to its sources. `None` when the account has no such surface.
    ///
    /// # Errors
    /// An error when its state cannot be read, or its sources cannot be listened to.
    pub(crate) async fn feed(
        &self,
        channel: Channel,
        account: AccountId,
        surface: Surface,
    ) -> Result<Option<Arc<Feed>>, Unavailable> {
        let (feed, is_new) = self.feeds.get_or_insert(channel, account, surface);
        // Begun before the state is read: a feed whose maker failed may serve others.
        if is_new {
            self.spawn(state::follow(self.clone(), Arc::downgrade(&feed), Arc::clone(&feed.changed)));
        }
        Ok(feed.prepare(self).await?.then_some(feed))
    }
}

impl Feeds {
    /// The feed of a channel, and if it was made now.
    fn get_or_insert(&self, channel: Channel, account: AccountId, surface: Surface) -> (Arc<Feed>, bool) {
        let mut feeds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(feed) = feeds.get(&channel).and_then(Weak::upgrade) {
            return (feed, false);
        }
        feeds.retain(|_, feed| feed.strong_count() > 0);
        let feed = Arc::new(Feed::new(channel, account, surface));
        feeds.insert(channel, Arc::downgrade(&feed));
        (feed, true)
    }
}

impl Feed {
    fn new(channel: Channel, account: AccountId, surface: Surface) -> Self {
        Self {
            id: shared::id::new(),
            label: channel.to_string(),
            account,
            surface,
            listeners: Listeners::default(),
            changes: AtomicU64::new(0),
            changed: Arc::default(),
            current: tokio::sync::Mutex::default(),
        }
    }

    /// Id among the listeners of topics.
    pub(super) const fn id(&self) -> Uuid {
        self.id
    }

    /// Adds a socket, whose events are held until [`Feed::release`].
    pub fn attach(self: &Arc<Self>, socket: &Arc<Socket>) -> FeedPlace {
        self.listeners.insert(socket);
        FeedPlace { feed: Arc::clone(self), socket: socket.id() }
    }

    /// Sends a socket these frames, then its held events without those of the given ids, and lets events
    /// through.
    pub fn release(&self, hub: &Hub, socket: &Socket, frames: Vec<Bytes>, sent: &[Uuid]) {
        self.listeners.release(hub, socket, frames, sent);
    }

    /// Signals every socket.
    pub(super) fn signal(&self, signal: Signal) {
        self.listeners.each(|socket| socket.signal(signal));
    }

    /// Closes every socket because events were lost: the clients reconnect and resume.
    pub(super) fn lose(&self, hub: &Hub) {
        self.listeners.each(|socket| hub.close(socket, Closing::EventsLost));
    }

    /// Takes an event of one of its sources.
    pub(super) fn take(&self, hub: &Hub, source: Channel, delivery: &Delivery, due: &mut Vec<Arc<Socket>>) {
        // Without the message, the event was read before the feed listened.
        let Some(message) = &delivery.source else { return };
        match self.convert(hub, source, message) {
            Ok(Converted::Nothing) => {}
            Ok(Converted::Change) => self.count_change(),
            Ok(Converted::Event { id, frame }) => self.listeners.queue(hub, id, &frame, due),
            Err(error) => {
                tracing::warn!(%error, channel = self.label, %source, "an event cannot be sent to pages");
            }
        }
    }

    fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_one();
    }
}
