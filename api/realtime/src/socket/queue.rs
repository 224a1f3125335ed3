//! Queue of a socket and signals for its session.

use std::{
    collections::VecDeque,
    io::IoSlice,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicU8, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Buf, Bytes};
use chrono::{DateTime, TimeDelta, Utc};
use futures::task::AtomicWaker;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::{
    connection::Wire,
    protocol::{Closing, MAX_QUEUED_FRAMES},
};

/// Largest capacity that an empty queue keeps, in frames.
const IDLE_QUEUE_CAPACITY: usize = 32;
/// Bytes that wait for a socket (reference/realtime.md#limits).
const MAX_QUEUED_BYTES: usize = 32 * 1024 * 1024;
/// Size up to which frames are not counted: a full queue of them is 8 MiB.
const SMALL_FRAME_BYTES: usize = 16 * 1024;
/// Frames in one write.
const MAX_FRAMES_PER_WRITE: usize = 16;

/// Signal to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// A right may have changed: the gates must be checked again.
    Rights = 1,
    /// The credential may have changed.
    Credential = 2,
    /// The credential has expired.
    Expired = 4,
    /// The credential was revoked.
    Revoked = 8,
    /// The process stops.
    Shutdown = 16,
    /// The socket was closed from elsewhere, or its connection has ended.
    Ended = 32,
    /// The socket may have been without a subscription for too long.
    Unsubscribed = 64,
}

/// Signals since the last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signals(u8);

impl Signals {
    /// True when the signal was given.
    pub const fn has(self, signal: Signal) -> bool {
        self.0 & signal as u8 != 0
    }
}

/// Shared part of a socket.
pub struct Socket {
    id: Uuid,
    queue: Mutex<Queue>,
    /// Write side of the connection, past the server; `None` behind another server than this one.
    wire: Option<Arc<Wire>>,
    /// Task of the connection.
    writer: AtomicWaker,
    room: Notify,
    signals: AtomicU8,
    signalled: Notify,
    /// Clock time in milliseconds since when the socket has no subscription; [`SUBSCRIBED`] while it has one.
    unsubscribed_since: AtomicI64,
}

/// Time that never comes.
const SUBSCRIBED: i64 = i64::MAX;

#[derive(Default)]
struct Queue {
    frames: VecDeque<Bytes>,
    /// Reason of the close frame, which is the last frame of the queue.
    closing: Option<Closing>,
    /// True when the server has the response to the upgrade. Nothing may be written before.
    is_upgraded: bool,
    /// True when a call of [`Socket::flush`] is due.
    is_due: bool,
}

impl Queue {
    /// True when a large frame exceeds what may wait. Small ones are bounded by their number.
    fn is_too_large_with(&self, frame: &Bytes) -> bool {
        frame.len() > SMALL_FRAME_BYTES
            && !self.frames.is_empty()
            && self.frames.iter().map(Bytes::len).sum::<usize>() + frame.len() > MAX_QUEUED_BYTES
    }
}

/// Outcome of queueing a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queued {
    /// Queued; the caller must call [`Socket::flush`].
    Due,
    /// Queued; it is written with others that are due.
    Waiting,
    /// The queue was full: the socket was closed as slow.
    Overflow,
    /// The socket is closed already.
    Closed,
}

impl Socket {
    /// Socket that was opened `now`; `wire` is `None` behind another server than this one.
    pub fn new(id: Uuid, wire: Option<Arc<Wire>>, now: DateTime<Utc>) -> Self {
        Self {
            id,
            queue: Mutex::default(),
            wire,
            writer: AtomicWaker::new(),
            room: Notify::new(),
            signals: AtomicU8::new(0),
            signalled: Notify::new(),
            unsubscribed_since: AtomicI64::new(now.timestamp_millis()),
        }
    }

    /// Id of the session.
    pub const fn id(&self) -> Uuid {
        self.id
    }

    /// Records that the socket has a subscription, or none.
    pub fn set_subscribed(&self, is_subscribed: bool, now: DateTime<Utc>) {
        let since = &self.unsubscribed_since;
        if is_subscribed {
            since.store(SUBSCRIBED, Ordering::Relaxed);
        } else if since.load(Ordering::Relaxed) == SUBSCRIBED {
            since.store(now.timestamp_millis(), Ordering::Relaxed);
        }
    }

    /// True when the socket has been without a subscription for this time.
    pub fn is_unsubscribed_for(&self, time: TimeDelta, now: DateTime<Utc>) -> bool {
        let since = self.unsubscribed_since.load(Ordering::Relaxed);
        now.timestamp_millis().saturating_sub(since) >= time.num_milliseconds()
    }

    /// Queues a frame for [`Socket::flush`]. A full queue ends the socket with 4003 instead. Frames queued
    /// before are still sent: the client has everything up to a point, and never a gap.
    pub fn queue(&self, frame: Bytes) -> Queued {
        let mut queue = self.lock();
        if queue.closing.is_some() {
            return Queued::Closed;
        }
        if queue.frames.len() >= MAX_QUEUED_FRAMES || queue.is_too_large_with(&frame) {
            drop(queue);
            return if self.close(Closing::SlowConsumer) { Queued::Overflow } else { Queued::Closed };
        }
        queue.frames.push_back(frame);
        if std::mem::replace(&mut queue.is_due, true) { Queued::Waiting } else { Queued::Due }
    }

    /// Queues a frame like [`Socket::queue`] and flushes it. Returns true when that ended the socket.
    pub fn push(&self, frame: Bytes) -> bool {
        let queued = self.queue(frame);
        if queued == Queued::Due {
            self.flush();
        }
        queued == Queued::Overflow
    }

    /// Writes as much as the kernel accepts now and leaves the rest to the server.
    pub fn flush(&self) {
        let mut queue = self.lock();
        queue.is_due = false;
        let is_written = match &self.wire {
            // The server ends the connection after the close frame, so it writes that one.
            Some(wire) if queue.is_upgraded && queue.closing.is_none() => queue.write_to(wire),
            _ => queue.frames.is_empty(),
        };
        drop(queue);
        if is_written {
            self.room.notify_waiters();
        } else {
            self.writer.wake();
        }
    }

    /// Queues the close frame; nothing is queued after it. Returns true when the socket was open until now.
    pub fn close(&self, closing: Closing) -> bool {
        let mut queue = self.lock();
        if queue.closing.is_some() {
            return false;
        }
        queue.closing = Some(closing);
        queue.frames.push_back(closing.frame());
        drop(queue);
        self.writer.wake();
        self.room.notify_waiters();
        self.signal(Signal::Ended);
        true
    }

    /// Reason of the close; `None` while the socket is open.
    pub fn closing(&self) -> Option<Closing> {
        self.lock().closing
    }

    /// Next frame to write; `None` after the last.
    pub fn poll_frame(&self, cx: &Context<'_>) -> Poll<Option<Bytes>> {
        self.writer.register(cx.waker());
        let mut queue = self.lock();
        queue.is_upgraded = true;
        if let Some(wire) = &self.wire {
            wire.unsettle();
        }
        let Some(frame) = queue.frames.pop_front() else {
            return if queue.closing.is_some() { Poll::Ready(None) } else { Poll::Pending };
        };
        if queue.frames.is_empty() {
            queue.frames.shrink_to(IDLE_QUEUE_CAPACITY);
            drop(queue);
            self.room.notify_waiters();
        }
        Poll::Ready(Some(frame))
    }

    /// Marks the connection as ended and drops the queue.
    pub fn disconnect(&self) {
        let mut queue = self.lock();
        queue.closing.get_or_insert(Closing::Answered);
        queue.frames = VecDeque::new();
        drop(queue);
        // The server may have stopped reading: only its writer still learns that the response has ended.
        self.writer.wake();
        self.room.notify_waiters();
        self.signal(Signal::Ended);
    }

    /// Waits until everything queued so far was passed to the connection. Returns false after the timeout or
    /// when the socket was closed.
    pub async fn drained(&self, wait_timeout: Duration) -> bool {
        let drained = async {
            loop {
                let room = self.room.notified();
                {
                    let queue = self.lock();
                    if queue.closing.is_some() {
                        return false;
                    }
                    if queue.frames.is_empty() {
                        return true;
                    }
                }
                room.await;
            }
        };
        tokio::time::timeout(wait_timeout, drained).await.unwrap_or(false)
    }

    /// Signals the session.
    pub fn signal(&self, signal: Signal) {
        self.signals.fetch_or(signal as u8, Ordering::SeqCst);
        self.signalled.notify_one();
    }

    /// Waits for signals and takes them.
    pub async fn signals(&self) -> Signals {
        loop {
            let signals = self.signals.swap(0, Ordering::SeqCst);
            if signals != 0 {
                return Signals(signals);
            }
            self.signalled.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Writes frames while the wire is free and removes them. Returns true when none is left.
    fn write_to(&mut self, wire: &Wire) -> bool {
        while !self.frames.is_empty() && wire.is_settled() {
            let mut parts = [IoSlice::new(&[]); MAX_FRAMES_PER_WRITE];
            let filled = parts.iter_mut().zip(&self.frames).map(|(part, frame)| *part = IoSlice::new(frame));
            let count = filled.count();
            // Full or broken: the server waits for room, or finds the error.
            let Ok(written) = wire.write(&parts[..count]) else { return false };
            self.take(written);
        }
        if self.frames.is_empty() {
            self.frames.shrink_to(IDLE_QUEUE_CAPACITY);
        }
        self.frames.is_empty()
    }

    /// Removes written bytes, which may end within a frame.
    fn take(&mut self, mut written: usize) {
        while let Some(frame) = self.frames.front_mut() {
            if written < frame.len() {
                return frame.advance(written);
            }
            written -= frame.len();
            self.frames.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{FutureExt, task::noop_waker_ref};

    fn next(socket: &Socket) -> Poll<Option<Bytes>> {
        socket.poll_frame(&Context::from_waker(noop_waker_ref()))
    }

    #[test]
    fn queue_that_overflows_is_sent_and_then_closed_as_slow() {
        let socket = Socket::new(Uuid::nil(), None, DateTime::UNIX_EPOCH);
        for n in 0..MAX_QUEUED_FRAMES {
            assert!(!socket.push(Bytes::from(n.to_string())));
        }
        assert!(socket.push(Bytes::from_static(b"too many")), "the queue overflows");
        assert!(!socket.push(Bytes::from_static(b"after")), "it overflows once");
        for n in 0..MAX_QUEUED_FRAMES {
            assert_eq!(next(&socket), Poll::Ready(Some(Bytes::from(n.to_string()))));
        }
        assert_eq!(next(&socket), Poll::Ready(Some(Closing::SlowConsumer.frame())));
        assert_eq!(next(&socket), Poll::Ready(None));
        assert!(socket.signals().now_or_never().unwrap().has(Signal::Ended));
    }

    #[test]
    fn queue_sends_nothing_after_a_close() {
        let socket = Socket::new(Uuid::nil(), None, DateTime::UNIX_EPOCH);
        assert!(socket.close(Closing::Shutdown));
        assert!(!socket.close(Closing::TokenRevoked));
        assert_eq!(socket.closing(), Some(Closing::Shutdown));
        socket.push(Bytes::from_static(b"late"));
        assert_eq!(next(&socket), Poll::Ready(Some(Closing::Shutdown.frame())));
        assert_eq!(next(&socket), Poll::Ready(None));
    }

    #[tokio::test]
    async fn queue_draining_ends_when_empty_closed_or_too_slow() {
        let socket = Socket::new(Uuid::nil(), None, DateTime::UNIX_EPOCH);
        assert!(socket.drained(Duration::from_secs(1)).await);
        socket.push(Bytes::from_static(b"x"));
        assert!(!socket.drained(Duration::from_millis(10)).await);
        let (drained, frame) = tokio::join!(socket.drained(Duration::from_secs(5)), async { next(&socket) });
        assert!(drained && frame.is_ready());
        socket.push(Bytes::from_static(b"x"));
        socket.disconnect();
        assert!(!socket.drained(Duration::from_secs(1)).await);
        assert_eq!(next(&socket), Poll::Ready(None));
    }

    #[test]
    fn signals_add_up_until_they_are_taken() {
        let socket = Socket::new(Uuid::nil(), None, DateTime::UNIX_EPOCH);
        socket.signal(Signal::Rights);
        socket.signal(Signal::Revoked);
        let signals = socket.signals().now_or_never().unwrap();
        assert!(
            signals.has(Signal::Rights) && signals.has(Signal::Revoked) && !signals.has(Signal::Shutdown)
        );
        assert!(socket.signals().now_or_never().is_none());
    }
}
