//! A connection, shared by the HTTP server and the socket that it may become.
//!
//! The server writes its responses, also the one to the upgrade. Later frames of a socket go to the kernel
//! from the place that queues them: an event for a thousand sockets then costs a thousand writes, and not
//! also a thousand wake-ups of connections and copies into their buffers. A socket whose client does not keep
//! up is left to the server, which waits for it. [`Wire::is_settled`] prevents interleaved writes of the two.

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

/// Time without an acknowledgement after which a connection ends. Without it a client that stops reading
/// would keep its connection, and everything that waits to be written to it, without end.
const ACK_TIMEOUT: Duration = Duration::from_secs(75);

/// Connection as the server holds it.
pub struct Connection {
    read: OwnedReadHalf,
    wire: Arc<Wire>,
}

/// Write side of a connection.
pub struct Wire {
    stream: OwnedWriteHalf,
    settled: AtomicBool,
}

impl Connection {
    /// Sets up a new connection: small frames leave at once, and a connection that is stuck ends.
    #[must_use]
    pub fn new(stream: TcpStream) -> Self {
        let timeout = SockRef::from(&stream).set_tcp_user_timeout(Some(ACK_TIMEOUT));
        if let Err(error) = stream.set_nodelay(true).and(timeout) {
            tracing::debug!(%error, "a connection could not be set up");
        }
        let (read, stream) = stream.into_split();
        Self { read, wire: Arc::new(Wire { stream, settled: AtomicBool::new(false) }) }
    }

    /// Address of the peer.
    #[must_use]
    pub fn peer(&self) -> Option<SocketAddr> {
        self.read.peer_addr().ok()
    }

    /// Makes the wire available to handlers. For `HttpServiceBuilder::on_connect_ext`.
    pub fn introduce(&self, extensions: &mut Extensions) {
        extensions.insert(Arc::downgrade(&self.wire));
    }
}

impl Drop for Connection {
    /// Ends the connection, also when its socket's session has not yet seen the end.
    fn drop(&mut self) {
        if Arc::strong_count(&self.wire) > 1
            && let Err(error) = SockRef::from(self.read.as_ref()).shutdown(std::net::Shutdown::Both)
        {
            tracing::trace!(%error, "a connection was closed already");
        }
    }
}

impl Wire {
    /// Wire of a request's connection, while it lasts.
    #[must_use]
    pub fn of(extensions: Option<&Weak<Self>>) -> Option<Arc<Self>> {
        extensions?.upgrade()
    }

    /// True when the kernel has everything that the server was given to write.
    pub fn is_settled(&self) -> bool {
        self.settled.load(Ordering::Acquire)
    }

    /// Marks that the server has something to write: no other writer writes until it is done.
    pub fn unsettle(&self) {
        self.settled.store(false, Ordering::Release);
    }

    /// Writes as much as the kernel accepts at once. Returns the number of bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when it accepts nothing now; others when the connection is broken.
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

    /// The server flushes after it has written everything.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.wire.settled.store(true, Ordering::Release);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(SockRef::from(self.read.as_ref()).shutdown(std::net::Shutdown::Write))
    }
}
