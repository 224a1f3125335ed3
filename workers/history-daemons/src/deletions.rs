//! Deletion of samples that belong to no session any more: those of deleted sessions, and those after the end of one
//! (reference/history.md#deletion).

use apalis::prelude::{BoxDynError, Data};
use foundation::jobs::DeleteSamples;
use history_model::sessions;
use shared::{Error, Result};
use tokio_util::sync::CancellationToken;
use worker_core::{Context, JOB_DRAIN_TIMEOUT};

/// Runs the jobs until `shutdown` is cancelled.
///
/// # Errors
/// A queue that cannot be opened.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> Result<()> {
    let queue = context.queue::<DeleteSamples>()?;
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| queue.worker().data(context.clone()).build(delete_samples));
    let stop = async move {
        shutdown.cancelled_owned().await;
        Ok(())
    };
    monitor.run_with_signal(stop).await.map_err(|error| Error::Internal(error.to_string()))
}

async fn delete_samples(job: DeleteSamples, context: Data<Context>) -> Result<(), BoxDynError> {
    let databases = &context.databases;
    let (mut postgres, mut timeseries) =
        (databases.postgres.get().await?, databases.timescaledb.get().await?);
    let samples = sessions::delete_samples(&mut postgres, &mut timeseries, &job).await?;
    tracing::info!(account_id = %job.account_id, samples, "samples without a session were deleted");
    Ok(())
}
