//! The worker daemons. `lumio-worker <daemon>` runs one, `lumio-worker all` runs all in one process; any number of
//! copies of each may run.

mod connections;
mod context;
mod daemon;
mod heartbeat;
pub mod housekeeping;
pub mod ingest;
mod lease;
mod mail;
mod outbox;
mod rollout;
mod runtime;
mod sources;
mod supervisor;
mod token_refresh;

/// What a line of chat triggers, for whoever measures it.
pub mod matching {
    pub use crate::runtime::triggers::{ChatCalls, CommandLine, Line, Triggers};
}

pub use context::{Context, Parts};
pub use daemon::Daemon;
pub use runtime::failed_runs::replay::{Replayed, replay};
pub use supervisor::{DRAIN, JOB_DRAIN, Running, start, start_with};
