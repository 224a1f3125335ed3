//! Scheduled upkeep of the databases: partitions ahead of time, retention, erasure of dissolved accounts, and
//! jobs for deliveries that have none.
//!
//! Tasks with a time of day are jobs (reference/jobs.md#schedules): every copy's clock adds them, one copy
//! runs each. The sweep for deliveries without a job must not wait for a queue; every copy does it, and doing
//! it twice has no second effect. Each job is one run of bounded length: see [`TimeBudget`].

mod archives;
mod audit;
mod automation_runs;
mod budget;
mod dead_letters;
mod erasure;
mod extension_data;
mod handled;
mod objects;
mod partitions;
mod queues;
mod retention;
mod sweep;
mod tenants;

use std::{sync::Arc, time::Duration};

use apalis::prelude::{BoxDynError, Data};
use foundation::jobs::{EraseAccount, ExportAccount, Housekeep, HousekeepingTask};
use prometheus::IntCounterVec;
use queue::{CronJob, EnqueueOptions};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use audit::AuditMetrics;
use partitions::PartitionMetrics;
use worker_core::{Context, JOB_DRAIN_TIMEOUT};

pub use budget::{Progress, TimeBudget};
pub use sweep::sweep_inbox;

/// Times of the tasks as cron expressions (seconds first, UTC).
const SCHEDULE: [(&str, &str, HousekeepingTask); 12] = [
    ("make-partitions", "0 7 * * * *", HousekeepingTask::MakePartitions),
    ("drop-expired", "0 23 3 * * *", HousekeepingTask::DropExpired),
    ("forget-handled", "0 */10 * * * *", HousekeepingTask::ForgetHandled),
    ("forget-audit", "0 41 * * * *", HousekeepingTask::ForgetAudit),
    ("forget-chat", "0 51 * * * *", HousekeepingTask::ForgetChat),
    ("forget-events", "0 57 * * * *", HousekeepingTask::ForgetEvents),
    ("sweep-objects", "0 37 * * * *", HousekeepingTask::SweepObjects),
    ("forget-extension-data", "0 47 * * * *", HousekeepingTask::ForgetExtensionData),
    ("forget-dead-letters", "0 17 * * * *", HousekeepingTask::ForgetDeadLetters),
    ("forget-automation-runs", "0 27 * * * *", HousekeepingTask::ForgetAutomationRuns),
    ("sign-audit-log", "0 11 * * * *", HousekeepingTask::SignAuditLog),
    ("sweep-archives", "0 5-59/10 * * * *", HousekeepingTask::SweepArchives),
];
/// Length of the slot in which two requests to continue a task become one job, in seconds, so that jobs that
/// fall behind do not multiply. Shorter than one run.
const CONTINUATION_SLOT_SECS: i64 = 20;

/// Interval at which each copy measures partitions, queues, accounts and exports.
const MEASURE_INTERVAL: Duration = Duration::from_secs(30);

/// Runs housekeeping tasks. Cheap to clone.
#[derive(Clone)]
pub struct Housekeeper {
    context: Context,
    partitions: Arc<PartitionMetrics>,
    audit: AuditMetrics,
    abandoned: IntCounterVec,
    next: queue::Producer<Housekeep>,
}

impl Housekeeper {
    /// Registers the metrics.
    ///
    /// # Errors
    /// Duplicate metric when a process has two housekeepers.
    pub fn new(context: &Context) -> shared::Result<Self> {
        let abandoned = context.metrics.counters(
            "lumio_inbox_abandoned_total",
            "Deliveries that were deleted without having been handled.",
            &[],
        )?;
        let partitions = Arc::new(PartitionMetrics::new(&context.metrics)?);
        let audit = AuditMetrics::new(&context.metrics)?;
        let next = context.producer::<Housekeep>()?;
        Ok(Self { context: context.clone(), partitions, audit, abandoned, next })
    }

    /// Runs a task once within `budget`, and adds the job that continues it when it is not through.
    ///
    /// # Errors
    /// Failures of a database or Redis. Work done until then is kept.
    pub async fn take(&self, task: HousekeepingTask, budget: &mut TimeBudget) -> shared::Result<Progress> {
        let progress = self.work_on(task, budget).await?;
        if progress == Progress::Pending {
            let options = EnqueueOptions::new();
            let options = if budget.is_stopped() { options } else { options.key(self.slot(task)) };
            self.next.enqueue(&Housekeep { task }, options).await?;
        }
        Ok(progress)
    }

    async fn work_on(&self, task: HousekeepingTask, budget: &mut TimeBudget) -> shared::Result<Progress> {
        let Self { context, partitions, abandoned, .. } = self;
        match task {
            HousekeepingTask::MakePartitions => partitions::make(context, partitions, budget).await,
            HousekeepingTask::DropExpired => partitions::drop_expired(context, budget).await,
            HousekeepingTask::ForgetHandled => handled::forget(context, abandoned, budget).await,
            HousekeepingTask::ForgetAudit => audit::forget(context, &self.audit, budget).await,
            HousekeepingTask::ForgetChat => {
                let moderation = retention::forget(context, &retention::MODERATION, budget).await?;
                let chat = retention::forget(context, &retention::CHAT, budget).await?;
                Ok(if moderation == Progress::Pending { moderation } else { chat })
            }
            HousekeepingTask::ForgetEvents => retention::forget(context, &retention::EVENTS, budget).await,
            HousekeepingTask::SweepObjects => objects::sweep(context, budget).await,
            HousekeepingTask::ForgetExtensionData => extension_data::forget(context, budget).await,
            HousekeepingTask::ForgetDeadLetters => dead_letters::forget(context).await,
            HousekeepingTask::ForgetAutomationRuns => automation_runs::forget(context, budget).await,
            HousekeepingTask::SignAuditLog => audit::sign(context, &self.audit, budget).await,
            HousekeepingTask::SweepArchives => archives::sweep(context, budget).await,
        }
    }

    fn slot(&self, task: HousekeepingTask) -> String {
        format!("{task:?}:{}", self.context.clock.now().timestamp() / CONTINUATION_SLOT_SECS)
    }
}

/// Dependencies of the jobs.
#[derive(Clone)]
struct TaskContext {
    housekeeper: Housekeeper,
    shutdown: CancellationToken,
}

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let housekeeper = Housekeeper::new(&context)?;
    let gauges = (
        queues::QueueGauges::new(&context.metrics)?,
        tenants::TenantGauges::new(&context.metrics)?,
        archives::ExportGauges::new(&context.metrics)?,
    );
    tokio::try_join!(
        work(housekeeper.clone(), shutdown.clone()),
        measure(housekeeper, gauges, shutdown.clone()),
        sweep::run(context, shutdown),
    )?;
    Ok(())
}

/// Adds the scheduled jobs and runs those that this copy takes.
async fn work(housekeeper: Housekeeper, shutdown: CancellationToken) -> anyhow::Result<()> {
    let context = housekeeper.context.clone();
    let tasks = context.queue::<Housekeep>()?;
    let (erasures, eraser) = (context.queue::<EraseAccount>()?, erasure::Eraser::new(&context)?);
    let (exports, exporter) = (context.queue::<ExportAccount>()?, archives::Exporter::new(&context)?);
    let task_context = TaskContext { housekeeper, shutdown: shutdown.clone() };
    let mut monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| tasks.worker().data(task_context.clone()).build(run_task))
        .register(move |_| erasures.worker().data(eraser.clone()).build(erasure::erase_account))
        .register(move |_| exports.worker().data(exporter.clone()).build(archives::export_account));
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

async fn run_task(job: Housekeep, task_context: Data<TaskContext>) -> Result<(), BoxDynError> {
    let TaskContext { housekeeper, shutdown } = &*task_context;
    housekeeper.take(job.task, &mut TimeBudget::new(shutdown.clone())).await?;
    Ok(())
}

/// Makes missing partitions as soon as that succeeds, and measures from then on. The first copy of a new
/// installation must not wait for the schedule.
async fn measure(
    housekeeper: Housekeeper,
    (queues, tenants, exports): (queues::QueueGauges, tenants::TenantGauges, archives::ExportGauges),
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let Housekeeper { context, partitions, .. } = &housekeeper;
    let mut is_made = false;
    let mut ticks = tokio::time::interval(MEASURE_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if !is_made {
            match partitions::make(context, partitions, &mut TimeBudget::new(shutdown.clone())).await {
                Ok(progress) => is_made = progress == Progress::Completed,
                Err(error) => tracing::warn!(%error, "partitions could not be created; retrying"),
            }
        }
        if let Err(error) = partitions::measure(context, partitions).await {
            tracing::warn!(%error, "the state of the partitions cannot be read");
        }
        queues.measure(context).await;
        tenants.measure(context).await;
        exports.measure(context).await;
    }
    Ok(())
}
