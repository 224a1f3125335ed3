//! Stream between client and server that rewrites their messages.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{incoming::Incoming, outgoing::Outgoing, session::Session};

/// Bytes that are read from the server at a time.
const READ_SIZE: usize = 16 * 1024;

/// Stream to a server over another one.
pub(super) struct InlineStream<S> {
    server: S,
    rewriting: Rewriting,
    session: Session,
    outgoing: Outgoing,
    incoming: Incoming,
    to_send: BytesMut,
    received: BytesMut,
    read: Box<[u8]>,
}

/// Switch of the client's direction.
#[derive(Clone, Default)]
pub(super) struct Rewriting(Arc<AtomicBool>);

impl Rewriting {
    /// Rewrites what the client sends from now on.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn has_begun(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl<S> InlineStream<S> {
    /// Creates a stream that passes the client's messages on unchanged.
    pub fn new(server: S) -> Self {
        Self {
            server,
            rewriting: Rewriting::default(),
            session: Session::default(),
            outgoing: Outgoing::default(),
            incoming: Incoming::default(),
            to_send: BytesMut::new(),
            received: BytesMut::new(),
            read: vec![0; READ_SIZE].into_boxed_slice(),
        }
    }

    /// Switch for the end of the handshake.
    pub fn rewriting(&self) -> Rewriting {
        self.rewriting.clone()
    }
}

impl<S: AsyncWrite + Unpin> InlineStream<S> {
    /// Sends what was rewritten.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.to_send.is_empty() {
            let sent = ready!(Pin::new(&mut self.server).poll_write(cx, &self.to_send))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.to_send.advance(sent);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for InlineStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.received.is_empty() {
            let mut read = ReadBuf::new(&mut this.read);
            ready!(Pin::new(&mut this.server).poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            this.incoming.rewrite(read.filled(), &mut this.session, &mut this.received)?;
        }
        let length = this.received.len().min(buffer.remaining());
        buffer.put_slice(&this.received.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for InlineStream<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if !this.rewriting.has_begun() {
            return Pin::new(&mut this.server).poll_write(cx, bytes);
        }
        // A slow server slows the client down.
        ready!(this.poll_send(cx))?;
        this.outgoing.rewrite(bytes, &mut this.session, &mut this.to_send)?;
        match this.poll_send(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            // The rest is sent by the next write or flush.
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(cx))?;
        Pin::new(&mut this.server).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(cx))?;
        Pin::new(&mut this.server).poll_shutdown(cx)
    }
}
