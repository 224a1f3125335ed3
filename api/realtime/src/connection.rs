//! A connection, shared by the HTTP server and the socket that it may become.
//!
//! The server writes its answers, the one to the upgrade among them. What a socket is sent afterwards goes to the
//! kernel from where it is queued: an event for a thousand sockets then costs a thousand writes, and not also a
//! thousand wake-ups of connections and copies into their buffers. A socket whose client does not keep up is left to
//! the server, which waits for it. [`Wire::is_settled`] keeps the two from writing into one another.

use std::{
    io::{self, IoSlice},
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use actix_web::dev::Extensions;
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

/// A peer that acknowledges nothing for this long is gone. Without it a client that stops reading would keep its
/// connection, and what waits to be written to it, for as long as it likes.
const UNACKNOWLEDGED: Duration = Duration::from_secs(75);

/// A connection as the server holds it.
pub struct Connection {
    read: OwnedReadHalf,
    wire: Arc<Wire>,
}

/// The side of a connection that is written to.
pub struct Wire {
    stream: OwnedWriteHalf,
    settled: AtomicBool,
}

impl Connection {
    /// Sets up a new connection: small frames leave at once, and one that is stuck ends.
    #[must_use]
    pub fn new(stream: TcpStream) -> Self {
        let timeout = SockRef::from(&stream).set_tcp_user_timeout(Some(UNACKNOWLEDGED));
        if let Err(error) = stream.set_nodelay(true).and(timeout) {
            tracing::debug!(%error, "a connection could not be set up");
        }
        let (read, stream) = stream.into_split();
        Self { read, wire: Arc::new(Wire { stream, settled: AtomicBool::new(false) }) }
    }

    /// The other end.
    #[must_use]
    pub fn peer(&self) -> Option<SocketAddr> {
        self.read.peer_addr().ok()
    }

    /// Lets handlers find the wire. For `HttpServiceBuilder::on_connect_ext`.
    pub fn introduce(&self, extensions: &mut Extensions) {
        extensions.insert(Arc::downgrade(&self.wire));
    }
}

impl Drop for Connection {
    /// The connection ends here, also when its socket's session has yet to notice.
    fn drop(&mut self) {
        if Arc::strong_count(&self.wire) > 1
            && let Err(error) = SockRef::from(self.read.as_ref()).shutdown(std::net::Shutdown::Both)
        {
            tracing::trace!(%error, "a connection was closed already");
        }
    }
}

impl Wire {
    /// The wire of a request's connection, while it lasts.
    #[must_use]
    pub fn of(extensions: Option<&Weak<Self>>) -> Option<Arc<Self>> {
        extensions?.upgrade()
    }

    /// Whether the kernel has everything that the server was given to write.
    pub fn is_settled(&self) -> bool {
        self.settled.load(Ordering::Acquire)
    }

    /// The server is given something to write: nobody else writes until it has.
    pub fn unsettle(&self) {
        self.settled.store(false, Ordering::Release);
    }

    /// Writes what the kernel takes at once.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when it takes nothing now; others when the connection is broken.
    pub fn write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match parts {
            [one] => self.stream.try_write(one),
            many => self.stream.try_write_vectored(many),
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.read).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.wire.stream.as_ref().poll_write_ready(cx))?;
            match self.wire.stream.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    /// The server flushes after it has written all that it was given.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.wire.settled.store(true, Ordering::Release);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(SockRef::from(self.read.as_ref()).shutdown(std::net::Shutdown::Write))
    }
}
