//! How connections that may become sockets are set up.

use std::{any::Any, time::Duration};

use actix_web::rt::net::TcpStream;
use socket2::SockRef;

/// A peer that acknowledges nothing for this long is gone. Without it a client that stops reading would keep its
/// connection, and what waits to be written to it, for as long as it likes.
const UNACKNOWLEDGED: Duration = Duration::from_secs(75);

/// Sets up a new connection: small frames leave at once, and one that is stuck ends. For `HttpServer::on_connect`.
pub fn tune(connection: &dyn Any) {
    let Some(stream) = connection.downcast_ref::<TcpStream>() else { return };
    let timeout = SockRef::from(stream).set_tcp_user_timeout(Some(UNACKNOWLEDGED));
    if let Err(error) = stream.set_nodelay(true).and(timeout) {
        tracing::debug!(%error, "a connection could not be set up");
    }
}
