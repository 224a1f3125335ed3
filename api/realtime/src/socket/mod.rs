//! One connection.
//!
//! The session reads what the client says and answers; the hub adds events; both put frames into the queue of the
//! [`Socket`], and the connection's own task writes from there.

mod body;
mod frame_rate;
mod heartbeat;
mod inbound;
mod queue;
mod session;

pub use body::Outgoing;
pub use inbound::Inbound;
pub use queue::{LONGEST_QUEUE, Signal, Socket};
pub use session::Session;
