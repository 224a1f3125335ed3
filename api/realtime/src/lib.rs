//! The WebSocket protocol (specification C §11) and the hub behind it.
//!
//! - [`protocol`]: what clients and the server say to each other, as text.
//! - `handshake`: who may connect, before the upgrade.
//! - `socket`: one connection: its bytes in, its queue out, its session.
//! - `gates`: who may listen to which channel.
//! - `hub`: from Redis to sockets: one subscription a channel and process, one frame for all who listen.
//! - `watch`: what ends or narrows a session that was let in.
//!
//! An event goes from Redis to a queue for each socket that listens; the connection's own task writes from there. No
//! task stands between, and a frame is serialised once.

mod gates;
mod handshake;
mod hub;
mod metrics;
pub mod protocol;
mod quota;
mod socket;
mod tcp;
mod watch;

pub use handshake::routes;
pub use hub::{Census, Hub};
pub use tcp::tune;
