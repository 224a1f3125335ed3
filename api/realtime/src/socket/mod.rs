//! One connection.
//!
//! The session reads and answers client frames; the hub adds events. Both put frames into the queue of the
//! [`Socket`] and write from there as much as the kernel accepts at once. The connection's own task writes
//! the rest.

mod body;
mod frame_rate;
mod heartbeat;
mod inbound;
mod queue;
mod session;

pub use body::Outgoing;
pub use inbound::{Decoder, Inbound, Received};
pub use queue::{Queued, Signal, Socket};
pub use session::Session;
