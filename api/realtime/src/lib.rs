//! The WebSocket protocol (reference/realtime.md#client-frames) and the hub behind it.
//!
//! - [`protocol`]: frames of clients and of the server, as text.
//! - `handshake`: checks before the upgrade.
//! - `connection`: the write side that the server and a socket share.
//! - `socket`: one connection: its incoming bytes, its queue, its session.
//! - `gates`: permissions of channels.
//! - `hub`: from Redis to sockets: one subscription a channel and process, one frame for all listeners.
//! - `quota`: largest numbers of sockets of one holder. `places`: counts of them across processes.
//! - `watch`: changes that end or narrow an admitted session.
//! - `start`: the hub with its background tasks.
//!
//! An event goes from Redis to a queue for each listening socket. The hub writes from there as much as the
//! kernel accepts at once; the connection's own task writes the rest. A frame is serialised once.

mod connection;
mod gates;
mod handshake;
mod hub;
mod metrics;
mod places;
pub mod protocol;
mod quota;
mod socket;
mod start;
mod watch;

/// Decoder of the bytes of a client, for tests with arbitrary input.
pub mod frames {
    pub use crate::socket::{Decoder, Received};
}

pub use connection::Connection;
pub use handshake::{check_upgrade, routes};
pub use hub::{Census, Hub};
