//! Keeps the databases in order: partitions made ahead, rows dropped after their time, what ended accounts left erased,
//! deliveries handed on that were left behind.
//!
//! What has a time of day is a job that every copy's clock adds and one copy runs. What must not wait for a queue —
//! looking for deliveries without a job — is done by every copy; doing it twice has no second effect.

mod erasure;
mod extension_data;
mod handled;
mod objects;
mod partitions;
mod queues;
mod retention;
mod sweep;

use std::{sync::Arc, time::Duration};

use apalis_core::{error::BoxDynError, task::data::Data};
use prometheus::IntCounterVec;
use queue::CronJob;
use shared::jobs::{EraseAccount, Housekeep, HousekeepingTask};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::{Context, supervisor::JOB_DRAIN};
use partitions::PartitionMetrics;

pub use sweep::sweep_inbox;

/// Times of the tasks (seconds first, UTC).
const SCHEDULE: [(&str, &str, HousekeepingTask); 8] = [
    ("make-partitions", "0 7 * * * *", HousekeepingTask::MakePartitions),
    ("drop-expired", "0 23 3 * * *", HousekeepingTask::DropExpired),
    ("forget-handled", "0 */10 * * * *", HousekeepingTask::ForgetHandled),
    ("forget-audit", "0 41 * * * *", HousekeepingTask::ForgetAudit),
    ("forget-chat", "0 51 * * * *", HousekeepingTask::ForgetChat),
    ("forget-events", "0 57 * * * *", HousekeepingTask::ForgetEvents),
    ("sweep-objects", "0 37 * * * *", HousekeepingTask::SweepObjects),
    ("forget-extension-data", "0 47 * * * *", HousekeepingTask::ForgetExtensionData),
];

/// How often each copy looks at the state of partitions and queues.
const MEASURE_EVERY: Duration = Duration::from_secs(30);

#[derive(Clone)]
struct Housekeeper {
    context: Context,
    partitions: Arc<PartitionMetrics>,
    abandoned: IntCounterVec,
}

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let abandoned = context.metrics.counters(
        "lumio_inbox_abandoned_total",
        "Deliveries that were never handled and are forgotten.",
        &[],
    )?;
    let partitions = Arc::new(PartitionMetrics::new(&context.metrics)?);
    let housekeeper = Housekeeper { context: context.clone(), partitions, abandoned };
    let gauges = queues::QueueGauges::new(&context.metrics)?;
    tokio::try_join!(
        work(housekeeper.clone(), shutdown.clone()),
        measure(housekeeper, gauges, shutdown.clone()),
        sweep::run(context, shutdown),
    )?;
    Ok(())
}

/// Adds the jobs of the schedule and runs those that fall to this copy.
async fn work(housekeeper: Housekeeper, shutdown: CancellationToken) -> anyhow::Result<()> {
    let context = housekeeper.context.clone();
    let tasks = context.queue::<Housekeep>()?;
    let (erasures, eraser) = (context.queue::<EraseAccount>()?, erasure::Eraser::new(&context)?);
    let mut monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
        .register(move |_| tasks.worker().data(housekeeper.clone()).build(run_task))
        .register(move |_| erasures.worker().data(eraser.clone()).build(erasure::erase_account));
    for (name, schedule, task) in SCHEDULE {
        let cron =
            CronJob::new(name, schedule, context.producer::<Housekeep>()?, move |_| Housekeep { task })?;
        monitor = monitor.register(move |_| cron.worker());
    }
    let stop = async move {
        shutdown.cancelled_owned().await;
        Ok(())
    };
    monitor.run_with_signal(stop).await?;
    Ok(())
}

async fn run_task(job: Housekeep, housekeeper: Data<Housekeeper>) -> Result<(), BoxDynError> {
    let Housekeeper { context, partitions, abandoned } = &*housekeeper;
    match job.task {
        HousekeepingTask::MakePartitions => partitions::make(context, partitions).await?,
        HousekeepingTask::DropExpired => partitions::drop_expired(context).await?,
        HousekeepingTask::ForgetHandled => handled::forget(context, abandoned).await?,
        HousekeepingTask::ForgetAudit => handled::forget_audit(context).await?,
        HousekeepingTask::ForgetChat => {
            retention::forget(context, &retention::CHAT).await?;
            retention::forget(context, &retention::MODERATION).await?;
        }
        HousekeepingTask::ForgetEvents => retention::forget(context, &retention::EVENTS).await?,
        HousekeepingTask::SweepObjects => objects::sweep(context).await?,
        HousekeepingTask::ForgetExtensionData => extension_data::forget(context).await?,
    }
    Ok(())
}

/// Makes what is missing as soon as that succeeds, and watches: the first copy of a new installation must not wait for
/// the clock.
async fn measure(
    housekeeper: Housekeeper,
    gauges: queues::QueueGauges,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let Housekeeper { context, partitions, .. } = &housekeeper;
    let mut is_made = false;
    let mut ticks = tokio::time::interval(MEASURE_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if !is_made {
            match partitions::make(context, partitions).await {
                Ok(()) => is_made = true,
                Err(error) => tracing::warn!(%error, "partitions could not be made, and will be tried again"),
            }
        }
        if let Err(error) = partitions::measure(context, partitions).await {
            tracing::warn!(%error, "the state of the partitions is not known");
        }
        gauges.measure(context).await;
    }
    Ok(())
}
