//! Daemon that sends the deliveries of outbound webhooks (reference/webhooks.md#delivery).
//!
//! PostgreSQL holds the queue of each endpoint. A lease on the endpoint selects the copy that sends its deliveries, one
//! after the other, so any number of copies run.

mod attempt;
mod backoff;
mod client;
mod db;
mod deliverer;
mod features;
mod mask;
mod metrics;
mod payload;
mod sweep;
mod trace;
mod trim;
mod verdict;

use tokio_util::sync::CancellationToken;
use worker_core::Context;

pub use deliverer::{Deliverer, MAX_CONCURRENT_OF_ACCOUNT};

/// Runs until `shutdown` is cancelled, then finishes the attempts in progress.
///
/// # Errors
/// Metrics that cannot be registered, or TLS roots that cannot be loaded.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let deliverer = Deliverer::new(&context)?;
    tokio::join!(
        deliverer.run(&shutdown),
        sweep::run(&deliverer, &shutdown),
        trim::run(&deliverer, &shutdown),
    );
    Ok(())
}
