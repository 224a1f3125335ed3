//! Sockets of a feed.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use surfaces::Uses;
use uuid::Uuid;

use super::{Hub, Queued, Socket};
use crate::protocol::{Closing, MAX_QUEUED_FRAMES};

/// Sockets of a feed, and the events that they get.
#[derive(Default)]
pub(super) struct Listeners(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    sockets: HashMap<Uuid, Listener>,
    uses: Uses,
}

struct Listener {
    socket: Arc<Socket>,
    /// Events that arrive while the socket still gets the state and missed events.
    held: Option<VecDeque<(Uuid, Bytes)>>,
}

impl Listeners {
    /// Adds a socket, whose events are held.
    pub fn insert(&self, socket: &Arc<Socket>) {
        let listener = Listener { socket: Arc::clone(socket), held: Some(VecDeque::new()) };
        self.lock().sockets.insert(socket.id(), listener);
    }

    /// Removes a socket.
    pub fn remove(&self, socket: Uuid) {
        self.lock().sockets.remove(&socket);
    }

    /// Sends frames, then the held events without those of the given ids, and lets events through.
    pub fn release(&self, hub: &Hub, socket: &Socket, frames: Vec<Bytes>, sent: &[Uuid]) {
        let mut inner = self.lock();
        for frame in frames {
            hub.push(socket, frame);
        }
        let held = inner.sockets.get_mut(&socket.id()).and_then(|listener| listener.held.take());
        for (_, frame) in held.into_iter().flatten().filter(|(id, _)| !sent.contains(id)) {
            hub.push(socket, frame);
        }
    }

    /// Queues an event for every socket. Sockets to flush are added to `due`.
    pub fn queue(&self, hub: &Hub, id: Uuid, frame: &Bytes, due: &mut Vec<Arc<Socket>>) {
        let mut inner = self.lock();
        for Listener { socket, held } in inner.sockets.values_mut() {
            match held {
                None => match socket.queue(frame.clone()) {
                    Queued::Due => due.push(Arc::clone(socket)),
                    Queued::Overflow => hub.metrics.closed(Closing::SlowConsumer),
                    Queued::Waiting | Queued::Closed => {}
                },
                Some(held) if held.len() < MAX_QUEUED_FRAMES => held.push_back((id, frame.clone())),
                Some(_) => hub.close(socket, Closing::SlowConsumer),
            }
        }
        hub.metrics.deliveries.inc_by(inner.sockets.len() as u64);
    }

    /// Calls a function with every socket.
    pub fn each(&self, mut act: impl FnMut(&Arc<Socket>)) {
        self.lock().sockets.values().for_each(|listener| act(&listener.socket));
    }

    /// Kinds of events that the layers use.
    pub fn uses(&self) -> Uses {
        self.lock().uses
    }

    /// Sets the kinds of events that the layers use.
    pub fn set_uses(&self, uses: Uses) {
        self.lock().uses = uses;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
