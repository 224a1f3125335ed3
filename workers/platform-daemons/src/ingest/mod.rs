//! Ingest: turns deliveries of the platforms into chat messages and events (reference/ingest.md#steps).
//!
//! A job handles a delivery: it is normalised, published on the event log, its rows are buffered, its
//! triggers enqueued, and then it is marked as handled. Each step can be repeated: events have deterministic
//! ids, rows unique keys, jobs idempotency keys. So a job that runs twice, or dies half way, has the effect
//! of one run. A handled delivery is handled again when Redis has lost its effects; it publishes nothing
//! again then, and triggers only what it triggered the first time
//! (reference/ingest.md#recovery-of-a-lost-redis).

mod accounts;
mod audience;
mod channel_queue;
mod chat;
mod delivery_context;
mod events;
mod first_seen;
mod handle;
mod health;
mod inbox;
mod metrics;
pub mod normalise;
mod outcome;
mod redemptions;
mod removals;
mod reports;
mod resubscribe;
mod revocation;
mod room;
mod shop;
mod starts;
mod tips;
mod votes;
pub mod writer;

use std::sync::Arc;

use apalis::prelude::{BoxDynError, Data};
use automation_model::index::StartIndex;
use foundation::{
    invalidation,
    jobs::{HandleDelivery, MarkRemoval},
};
use live_model::{ChatMessage, EventRow};
use queue::Later;
use tokio_util::sync::CancellationToken;
use webhook_model::index::EndpointIndex;

use crate::PlatformContext;
use handle::Ingest;
use health::LastEvents;
use outcome::Run;
use removals::RemovalHandler;
use starts::Starts;
use worker_core::JOB_DRAIN_TIMEOUT;
use writer::{Gathering, Writer};

pub use metrics::IngestMetrics;

/// Number of writers of each table in one process: while the database writes one's batch, the other collects
/// its own.
pub const WRITERS: usize = 2;

/// Runs until `shutdown` is cancelled.
pub async fn run(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    let metrics = IngestMetrics::new(&context.metrics)?;
    let health = LastEvents::default();
    let removals = Arc::new(RemovalHandler::new(&context, health.clone()));
    let (index, webhooks) = (Arc::new(StartIndex::default()), Arc::new(EndpointIndex::default()));
    let starts = Starts::new(&context, Arc::clone(&index));
    let ingest = Arc::new(Ingest::new(&context, metrics.clone(), health.clone(), removals.clone(), starts));
    let (queue, marking) = (context.queue::<HandleDelivery>()?, context.queue::<MarkRemoval>()?);
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| queue.worker().data(ingest.clone()).build(handle_delivery))
        .register(move |_| marking.worker().data(removals.clone()).build(removals::mark_removal));
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
        let messages =
            Writer::<ChatMessage>::new(&context, &metrics, of_messages.clone(), Arc::clone(&webhooks));
        let events = Writer::<EventRow>::new(&context, &metrics, of_events.clone(), Arc::clone(&webhooks));
        let (messages, events) = (messages.run(shutdown.clone()), events.run(shutdown.clone()));
        async move {
            tracing::debug!(index, "writer started");
            tokio::join!(messages, events);
            Ok::<(), anyhow::Error>(())
        }
    };
    let writers = futures::future::try_join_all((0..WRITERS).map(write));
    let recording = health.clone().run(context.clone(), shutdown.clone());
    tokio::try_join!(jobs, writers, async {
        let of_automations = invalidation::listen(&context.redis, &*index, &shutdown);
        let of_webhooks = invalidation::listen(&context.redis, &*webhooks, &shutdown);
        tokio::join!(recording, of_automations, of_webhooks);
        Ok(())
    })?;
    // The times of the last deliveries.
    health.flush(&context).await;
    Ok(())
}

async fn handle_delivery(job: HandleDelivery, ingest: Data<Arc<Ingest>>) -> Result<(), BoxDynError> {
    match ingest.handle(job.delivery_id).await? {
        Run::Done => Ok(()),
        // Jobs that were requeued together must not come back together.
        Run::Later(pause) => Err(Later::after(pause.mul_f64(rand::random_range(0.5..=1.0))).into()),
    }
}
