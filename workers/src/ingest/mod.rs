//! From deliveries of the platforms to chat messages and events (specification C B12, B13; architecture: the live path).
//!
//! A delivery is handled by a job: it is normalised, told on the event log, its rows are buffered, its triggers
//! enqueued, and then it is marked as handled. Each step can be repeated: events have deterministic ids, rows unique
//! keys, jobs idempotency keys. So a job that runs twice, or dies half way, has the effect of one that ran once. A delivery
//! that was handled is handled again when Redis has lost what it came to ([`crate::outbox`]); nobody is told again
//! then, and what triggered nothing triggers nothing.

mod accounts;
mod chat;
mod events;
mod handle;
mod health;
mod inbox;
mod lease;
mod metrics;
pub mod normalise;
mod occasion;
mod order;
mod removals;
mod resubscribe;
mod shop;
mod told;
mod votes;
pub mod writer;

use std::sync::Arc;

use apalis::prelude::{BoxDynError, Data};
use queue::Later;
use shared::{
    ingest::{ChatMessage, EventRow},
    jobs::{HandleDelivery, MarkRemoval},
};
use tokio_util::sync::CancellationToken;

use crate::{Context, supervisor::JOB_DRAIN};
use handle::{Ingest, Run};
use health::LastEvents;
use writer::{Gathering, Writer};

pub use metrics::IngestMetrics;

/// Writers of each table in one process: while the database writes one's batch, the other gathers its own.
pub const WRITERS: usize = 2;

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let metrics = IngestMetrics::new(&context.metrics)?;
    let health = LastEvents::default();
    let ingest = Arc::new(Ingest::new(&context, metrics.clone(), health.clone()));
    let (queue, marking) = (context.queue::<HandleDelivery>()?, context.queue::<MarkRemoval>()?);
    let marker = ingest.clone();
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
        .register(move |_| queue.worker().data(ingest.clone()).build(handle_delivery))
        .register(move |_| marking.worker().data(marker.clone()).build(removals::mark_removal));
    let stop = shutdown.clone();
    let jobs = async move {
        let stop = async move {
            stop.cancelled_owned().await;
            Ok(())
        };
        Ok(monitor.run_with_signal(stop).await?)
    };
    let (of_messages, of_events) = (Gathering::default(), Gathering::default());
    let write = |index: usize| {
        let messages = Writer::<ChatMessage>::new(&context, &metrics, of_messages.clone());
        let events = Writer::<EventRow>::new(&context, &metrics, of_events.clone());
        let (messages, events) = (messages.run(shutdown.clone()), events.run(shutdown.clone()));
        async move {
            tracing::debug!(index, "writer started");
            tokio::join!(messages, events);
            Ok::<(), anyhow::Error>(())
        }
    };
    let writers = futures::future::try_join_all((0..WRITERS).map(write));
    let noted = health.clone().run(context.clone(), shutdown.clone());
    tokio::try_join!(jobs, writers, async {
        noted.await;
        Ok(())
    })?;
    // What the last deliveries told.
    health.flush(&context).await;
    Ok(())
}

async fn handle_delivery(job: HandleDelivery, ingest: Data<Arc<Ingest>>) -> Result<(), BoxDynError> {
    match ingest.handle(job.delivery_id).await? {
        Run::Done => Ok(()),
        // Those that were put back together shall not come back together.
        Run::Later(pause) => Err(Later::after(pause.mul_f64(rand::random_range(0.5..=1.0))).into()),
    }
}
