//! Starts of automations by chat lines and events (reference/automations.md#triggers): a job holds the line or
//! event, and starts a run for each trigger node that it matches.

mod admission;
mod candidates;
mod occurrence;
mod reward;

use std::sync::Arc;

use apalis::prelude::{AbortError, BoxDynError, Data};
use automation_model::{
    runs::{self, MAX_DEPTH, NewRun, StartedRuns},
    starts::{TriggerNode, context, trigger_value},
};
use foundation::jobs::{Job, StartAutomations, settings};
use prometheus::IntCounterVec;
use queue::Later;
use shared::{Error, Result};
use tokio_util::sync::CancellationToken;
use worker_core::{Context, JOB_DRAIN_TIMEOUT};

use crate::engine::Engine;
use admission::{Admission, Admitted, START_PERMIT_TIMEOUT};
use candidates::Candidates;
use occurrence::{Occurrence, Unreadable};

/// Handler of the jobs. Cheap to clone.
#[derive(Clone)]
struct Starter {
    context: Context,
    engine: Arc<Engine>,
    admission: Arc<Admission>,
    /// Starts by outcome.
    starts: IntCounterVec,
}

/// Reason why a job failed.
#[derive(Debug, thiserror::Error)]
enum JobFailure {
    /// Retry: another run may succeed.
    #[error(transparent)]
    Store(#[from] Error),
    /// No failure: other jobs come first.
    #[error(transparent)]
    Postponed(#[from] Later),
    /// Permanent: no run can succeed.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

/// Runs until `shutdown` is cancelled.
///
/// # Errors
/// A failure of the queue.
pub(crate) async fn run(
    context: &Context,
    engine: Arc<Engine>,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let starts = context.metrics.counters(
        "lumio_automation_starts_total",
        "Starts of automations by chat lines and events, by outcome.",
        &["outcome"],
    )?;
    let jobs = settings(StartAutomations::QUEUE).concurrency;
    let admission = Arc::new(Admission::new(jobs, context.config.databases.pool_size));
    let starter = Starter { context: context.clone(), engine, admission, starts };
    let queue = context.queue::<StartAutomations>()?;
    queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| queue.worker().data(starter.clone()).build(start_automations))
        .run_with_signal(async move {
            shutdown.cancelled_owned().await;
            Ok(())
        })
        .await?;
    Ok(())
}

async fn start_automations(job: StartAutomations, starter: Data<Starter>) -> Result<(), BoxDynError> {
    match starter.start(&job).await {
        Ok(()) => Ok(()),
        Err(failure @ JobFailure::Store(_)) => Err(failure.into()),
        Err(JobFailure::Postponed(later)) => Err(later.into()),
        Err(failure @ JobFailure::Unreadable(_)) => Err(AbortError::new(failure).into()),
    }
}

impl Starter {
    /// Starts a run for each node that the line or event of a job matches. A repeated job starts nothing more.
    async fn start(&self, job: &StartAutomations) -> Result<(), JobFailure> {
        if job.depth > MAX_DEPTH {
            // Automations that emit the events which start them end here.
            self.starts.with_label_values(&["too_deep"]).inc();
            return Ok(());
        }
        let admitted = self.admission.enter(job.account_id).await;
        let mut admitted = admitted.map_err(|later| self.postponed(later))?;
        let occurrence = Arc::new(Occurrence::of(&job.event, job.channel_id.as_deref())?);
        let matching = self.matching(job, &occurrence, &mut admitted).await?;
        if matching.is_empty() {
            self.starts.with_label_values(&["unmatched"]).inc();
            return Ok(());
        }
        let runs = self.new_runs(job, &occurrence, &matching);
        let mut connection = self.context.databases.postgres.get().await?;
        let StartedRuns { runs, dropped } = runs::start_all(&mut connection, runs).await?;
        let statuses: Vec<&str> =
            runs.iter().filter(|run| run.is_new).map(|run| run.status.as_str()).collect();
        if statuses.contains(&runs::QUEUED) {
            // The job of the run comes by the outbox, up to half a second later.
            self.engine.wake(job.account_id);
        }
        for status in statuses {
            self.starts.with_label_values(&[status]).inc();
        }
        self.starts.with_label_values(&["dropped"]).inc_by(u64::try_from(dropped).unwrap_or(u64::MAX));
        Ok(())
    }

    /// Counts a job that returns to the queue.
    fn postponed(&self, later: Later) -> JobFailure {
        self.starts.with_label_values(&["postponed"]).inc();
        later.into()
    }

    /// Returns the nodes that the line or event matches. Regular expressions are evaluated without a connection, which
    /// jobs of other accounts use meanwhile.
    async fn matching(
        &self,
        job: &StartAutomations,
        occurrence: &Arc<Occurrence>,
        admitted: &mut Admitted,
    ) -> Result<Vec<TriggerNode>, JobFailure> {
        let mut connection = self.context.databases.postgres.get().await?;
        let candidates = Candidates::read(&mut connection, job, occurrence).await?;
        drop(connection);
        if !candidates.have_patterns(occurrence) {
            return Ok(candidates.matching(occurrence));
        }
        admitted.release_connection();
        let occurrence = Arc::clone(occurrence);
        let evaluation = move || candidates.matching(&occurrence);
        let evaluated = self.engine.evaluate(job.account_id, START_PERMIT_TIMEOUT, evaluation).await?;
        let matching = evaluated.ok_or_else(|| self.postponed(self.admission.later(job.account_id)))?;
        let restored = self.admission.restore_connection(admitted).await;
        restored.map_err(|later| self.postponed(later))?;
        Ok(matching)
    }

    fn new_runs(
        &self,
        job: &StartAutomations,
        occurrence: &Occurrence,
        nodes: &[TriggerNode],
    ) -> Vec<NewRun> {
        let context = context(occurrence.event(), occurrence.user());
        let now = self.context.clock.now();
        let run = |node: &TriggerNode| NewRun {
            account: job.account_id,
            automation: node.automation_id,
            trigger: trigger_value(node.node_id, node.trigger.type_name(), occurrence.payload(node)),
            context: context.clone(),
            dedupe_key: format!("event:{}", job.event.id),
            depth: job.depth,
            parent_run_id: job.parent_run_id,
            is_test: occurrence.is_test(),
            now,
        };
        nodes.iter().map(run).collect()
    }
}
