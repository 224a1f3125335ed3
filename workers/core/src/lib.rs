//! Context and limits that all daemons share.

mod context;

use std::time::Duration;

pub use context::{Context, Parts};

/// Time that a daemon gives its jobs to end at a shutdown. Handlers end or their jobs are requeued before
/// ([`foundation::jobs::HANDLER_DRAIN_TIMEOUT`]); the rest is for the work that follows them.
pub const JOB_DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
