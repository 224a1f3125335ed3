//! One connection.
//!
//! The session reads what the client says and answers; the hub adds events; both put frames into the queue of the
//! [`Socket`] and write from there what the kernel takes at once. The rest is the connection's own task's to write.

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
