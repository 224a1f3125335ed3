//! Keeps the databases in order: partitions made ahead, rows dropped after their time, what ended accounts left erased,
//! deliveries handed on that were left behind.
//!
//! What has a time of day is a job that every copy's clock adds and one copy runs. What must not wait for a queue —
//! looking for deliveries without a job — is done by every copy; doing it twice has no second effect. Each job is a turn of
//! bounded length: see [`Turn`].

mod dead_letters;
mod erasure;
mod extension_data;
mod handled;
mod objects;
mod partitions;
mod queues;
mod retention;
mod sweep;
mod turn;

use std::{sync::Arc, time::Duration};

use apalis::prelude::{BoxDynError, Data};
use prometheus::IntCounterVec;
use queue::{CronJob, EnqueueOptions};
use shared::jobs::{EraseAccount, Housekeep, HousekeepingTask};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::{Context, supervisor::JOB_DRAIN};
use partitions::PartitionMetrics;

pub(crate) use sweep::YOUNGER_THAN;
pub use sweep::sweep_inbox;
pub use turn::{Progress, Turn};

/// Times of the tasks (seconds first, UTC).
const SCHEDULE: [(&str, &str, HousekeepingTask); 9] = [
    ("make-partitions", "0 7 * * * *", HousekeepingTask::MakePartitions),
    ("drop-expired", "0 23 3 * * *", HousekeepingTask::DropExpired),
    ("forget-handled", "0 */10 * * * *", HousekeepingTask::ForgetHandled),
    ("forget-audit", "0 41 * * * *", HousekeepingTask::ForgetAudit),
    ("forget-chat", "0 51 * * * *", HousekeepingTask::ForgetChat),
    ("forget-events", "0 57 * * * *", HousekeepingTask::ForgetEvents),
    ("sweep-objects", "0 37 * * * *", HousekeepingTask::SweepObjects),
    ("forget-extension-data", "0 47 * * * *", HousekeepingTask::ForgetExtensionData),
    ("forget-dead-letters", "0 17 * * * *", HousekeepingTask::ForgetDeadLetters),
];
/// Two jobs that both have to be gone on with within this time are gone on with by one, so that jobs that fall behind do
/// not multiply. Shorter than a turn.
const GONE_ON_WITH_SECS: i64 = 20;

/// How often each copy looks at the state of partitions and queues.
const MEASURE_INTERVAL: Duration = Duration::from_secs(30);

/// Does the tasks. Cheap to clone.
#[derive(Clone)]
pub struct Housekeeper {
    context: Context,
    partitions: Arc<PartitionMetrics>,
    abandoned: IntCounterVec,
    next: queue::Producer<Housekeep>,
}

impl Housekeeper {
    /// # Errors
    /// When a process has two of them.
    pub fn new(context: &Context) -> shared::Result<Self> {
        let abandoned = context.metrics.counters(
            "lumio_inbox_abandoned_total",
            "Deliveries that were never handled and are forgotten.",
            &[],
        )?;
        let partitions = Arc::new(PartitionMetrics::new(&context.metrics)?);
        Ok(Self { context: context.clone(), partitions, abandoned, next: context.producer::<Housekeep>()? })
    }

    /// Takes one turn of a task, and adds the job that goes on when it is not through.
    ///
    /// # Errors
    /// When a database or Redis fails: what was done until then stays done.
    pub async fn take(&self, task: HousekeepingTask, turn: &mut Turn) -> shared::Result<Progress> {
        let progress = self.work_on(task, turn).await?;
        if progress == Progress::Left {
            let options = EnqueueOptions::new();
            let options = if turn.is_stopped() { options } else { options.key(self.slot(task)) };
            self.next.enqueue(&Housekeep { task }, options).await?;
        }
        Ok(progress)
    }

    async fn work_on(&self, task: HousekeepingTask, turn: &mut Turn) -> shared::Result<Progress> {
        let Self { context, partitions, abandoned, .. } = self;
        match task {
            HousekeepingTask::MakePartitions => partitions::make(context, partitions, turn).await,
            HousekeepingTask::DropExpired => partitions::drop_expired(context, turn).await,
            HousekeepingTask::ForgetHandled => handled::forget(context, abandoned, turn).await,
            HousekeepingTask::ForgetAudit => handled::forget_audit(context, turn).await,
            HousekeepingTask::ForgetChat => {
                let moderation = retention::forget(context, &retention::MODERATION, turn).await?;
                let chat = retention::forget(context, &retention::CHAT, turn).await?;
                Ok(if moderation == Progress::Left { moderation } else { chat })
            }
            HousekeepingTask::ForgetEvents => retention::forget(context, &retention::EVENTS, turn).await,
            HousekeepingTask::SweepObjects => objects::sweep(context, turn).await,
            HousekeepingTask::ForgetExtensionData => extension_data::forget(context, turn).await,
            HousekeepingTask::ForgetDeadLetters => dead_letters::forget(context).await,
        }
    }

    fn slot(&self, task: HousekeepingTask) -> String {
        format!("{task:?}:{}", self.context.clock.now().timestamp() / GONE_ON_WITH_SECS)
    }
}

/// What jobs work with.
#[derive(Clone)]
struct Shift {
    housekeeper: Housekeeper,
    shutdown: CancellationToken,
}

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let housekeeper = Housekeeper::new(&context)?;
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
    let shift = Shift { housekeeper, shutdown: shutdown.clone() };
    let mut monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
        .register(move |_| tasks.worker().data(shift.clone()).build(run_task))
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

async fn run_task(job: Housekeep, shift: Data<Shift>) -> Result<(), BoxDynError> {
    let Shift { housekeeper, shutdown } = &*shift;
    housekeeper.take(job.task, &mut Turn::new(shutdown.clone())).await?;
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
    let mut ticks = tokio::time::interval(MEASURE_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if !is_made {
            match partitions::make(context, partitions, &mut Turn::new(shutdown.clone())).await {
                Ok(progress) => is_made = progress == Progress::Through,
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
