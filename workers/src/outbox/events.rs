//! Publishing of outbox events: each is appended to the log of its channel, which publishes it.

use apalis::prelude::{BoxDynError, Data};
use foundation::jobs::PublishEvent;
use tokio_util::sync::CancellationToken;

use worker_core::{Context, JOB_DRAIN_TIMEOUT};

/// Runs until `shutdown` is cancelled.
pub(super) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let queue = context.queue::<PublishEvent>()?;
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| queue.worker().data(context.clone()).build(publish));
    let stop = async move {
        shutdown.cancelled_owned().await;
        Ok(())
    };
    monitor.run_with_signal(stop).await?;
    Ok(())
}

async fn publish(job: PublishEvent, context: Data<Context>) -> Result<(), BoxDynError> {
    context.events.append(&job.event).await?;
    Ok(())
}
