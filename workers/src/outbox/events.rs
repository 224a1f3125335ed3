//! Appends events that were written beside what they tell of to the log of their channel, which fans them out.

use apalis::prelude::{BoxDynError, Data};
use shared::jobs::PublishEvent;
use tokio_util::sync::CancellationToken;

use crate::{Context, supervisor::JOB_DRAIN};

/// Runs until `shutdown` is cancelled.
pub(super) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let queue = context.queue::<PublishEvent>()?;
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
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
