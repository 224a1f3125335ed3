//! The socket's queue as the body of the upgrade's response.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use actix_web::body::{BodySize, MessageBody};
use bytes::Bytes;

use super::Socket;

/// Passes queued frames to the connection. It is dropped with the connection, which ends the session.
pub struct Outgoing(pub Arc<Socket>);

impl MessageBody for Outgoing {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        self.0.poll_frame(cx).map(|frame| frame.map(Ok))
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.0.disconnect();
    }
}
