//! The worker daemons. `lumio-worker <daemon>` runs one, `lumio-worker all` runs all in one process. Any
//! number of copies of each may run.

mod daemon;
mod heartbeat;
pub mod housekeeping;
mod mail;
mod outbox;
mod rollout;
mod supervisor;

pub use daemon::Daemon;
pub use supervisor::{DRAIN_TIMEOUT, Running, start, start_with};
