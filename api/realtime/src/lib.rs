//! The WebSocket protocol (specification C §11) and the hub behind it.
//!
//! - [`protocol`]: what clients and the server say to each other, as text.
//! - `handshake`: who may connect, before the upgrade.
//! - `connection`: what the server and a socket both write to.
//! - `socket`: one connection: its bytes in, its queue out, its session.
//! - `gates`: who may listen to which channel.
//! - `hub`: from Redis to sockets: one subscription a channel and process, one frame for all who listen.
//! - `watch`: what ends or narrows a session that was let in.
//!
//! An event goes from Redis to a queue for each socket that listens. The hub writes from there what the kernel takes at
//! once; the connection's own task writes the rest. A frame is serialised once.

mod connection;
mod gates;
mod handshake;
mod hub;
mod metrics;
pub mod protocol;
mod quota;
mod socket;
mod watch;

/// The bytes of a client taken apart, for whoever feeds them with anything.
pub mod frames {
    pub use crate::socket::{Decoder, Received};
}

pub use connection::Connection;
pub use handshake::{check_upgrade, routes};
pub use hub::{Census, Hub};
