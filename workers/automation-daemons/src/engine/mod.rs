//! The engine: executes runs of automations (reference/automations.md#execution).
//!
//! PostgreSQL holds the truth. A start in this copy and a job only put an account into the list of those whose runs
//! wait; a sweep finds runs without a job. Any number of copies run; a lease on the row selects the one that executes
//! a run.
//!
//! Accounts are served in rotation, with a bounded number of runs in progress each, and a bounded number of these that
//! work at the same time: a backlog delays only its own account.

mod claim;
mod decide;
mod excerpt;
mod execution;
mod features;
mod frames;
mod held;
mod matching;
mod ready;
mod shares;
mod step_rows;
mod store;
mod sweep;

use std::{sync::Arc, time::Duration};

use apalis::prelude::{BoxDynError, Data};
use foundation::jobs::RunAutomation;
use shared::Result;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc::Receiver},
    task::{JoinError, JoinSet},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::{Context, JOB_DRAIN_TIMEOUT};

use crate::{effects::Effects, metrics::AutomationMetrics};
use claim::{Claimant, Claimed};
use execution::{Execution, Outlook};
use features::Features;
use frames::{Frame, Frames};
use held::{HeldRuns, LEASE_TTL};
use matching::Matching;
use ready::Ready;
use shares::{Share, Shares};

pub use claim::MAX_CONCURRENT_RUNS;
pub use excerpt::{MAX_EXCERPT_BYTES, MAX_RESULT_BYTES, MAX_RESULTS_BYTES};
pub use execution::{EXTENSION_TIMEOUT, MAX_RUN_DURATION};
pub use frames::MAX_EVENTS_PER_SECOND;

/// Maximum number of runs that one copy executes at the same time (reference/automations.md#execution). Most of them
/// wait for something outside; the number bounds their memory.
const MAX_CONCURRENT_RUNS_OF_A_COPY: usize = 512;
/// Maximum number of runs of an account that a copy begins to execute while half of its places are taken
/// (reference/automations.md#execution).
const MAX_RUNS_OF_ACCOUNT_IN_A_CROWDED_COPY: i64 = 2;
/// Time that runs of a stopping copy have for the end of their present step
/// (reference/automations.md#execution).
const RUN_DRAIN_TIMEOUT: Duration = Duration::from_secs(12);
/// Pause of a place after a failed claim, so that a database that is away is not called in a loop.
const FAILURE_PAUSE: Duration = Duration::from_secs(1);

/// Parts of the engine of one copy.
pub(crate) struct Engine {
    context: Context,
    effects: Effects,
    metrics: AutomationMetrics,
    /// Name of the copy in leases.
    owner: Uuid,
    ready: Ready,
    held: HeldRuns,
    shares: Shares,
    matching: Matching,
    features: Features,
    frames: Frames,
    /// Cancelled when runs are left to other copies.
    stop: CancellationToken,
}

impl Engine {
    /// Returns an engine and the events that it publishes.
    pub fn new(
        context: &Context,
        effects: Effects,
        metrics: AutomationMetrics,
        stop: CancellationToken,
    ) -> (Arc<Self>, Receiver<Frame>) {
        let (frames, events) = Frames::new();
        let engine = Self {
            effects,
            metrics,
            owner: shared::id::new(),
            ready: Ready::default(),
            held: HeldRuns::default(),
            shares: Shares::new(context.config.workers.threads, context.config.databases.pool_size),
            matching: Matching::new(context.config.workers.threads),
            features: Features::new(context.databases.postgres.clone()),
            frames,
            stop,
            context: context.clone(),
        };
        (Arc::new(engine), events)
    }

    /// Puts an account with a new run into the list.
    pub fn wake(&self, account: Uuid) {
        self.ready.push(account);
    }

    /// Evaluates regular expressions of an account beside the other work of the process; `None` when no permit was free
    /// in time.
    ///
    /// # Errors
    /// A panic of the evaluation.
    pub async fn evaluate<T, E>(
        &self,
        account: Uuid,
        wait_timeout: Duration,
        evaluation: E,
    ) -> Result<Option<T>>
    where
        T: Send + 'static,
        E: FnOnce() -> T + Send + 'static,
    {
        self.matching.evaluate(account, wait_timeout, evaluation).await
    }

    /// True when this copy executes all runs that the account may have here: the end of one wakes the account.
    fn is_full(&self, account: Uuid) -> bool {
        let max = max_runs_of_account(self.held.count());
        i64::try_from(self.held.of_account(account).len()).is_ok_and(|held| held >= max)
    }

    /// Claims the next run of an account.
    async fn claim(&self, account: Uuid) -> Result<Option<Claimed>> {
        let now = self.context.clock.now();
        let held = self.held.of_account(account);
        let claimant = Claimant { owner: self.owner, held: &held, now, until: now + LEASE_TTL };
        let mut connection = self.context.databases.postgres.get().await?;
        claim::claim(&mut connection, account, claimant).await
    }

    /// Executes a claimed run as far as this copy can.
    async fn execute(&self, run: &Claimed, share: Share) {
        let held = self.held.hold(run.id, run.account_id, run.is_cancelled);
        let _running = self.metrics.run();
        if run.is_new {
            self.metrics.began((run.started_at - run.created_at).to_std().unwrap_or_default());
        }
        match Execution::new(self, run, &held, share).execute().await {
            Ok(Outlook::Ended(status)) => self.metrics.ended(status),
            Ok(Outlook::Delayed | Outlook::Left) => {}
            Err(error) => tracing::warn!(run_id = %run.id, %error, "a run is resumed later"),
        }
    }
}

/// Executes runs until `shutdown` is cancelled, then lets them reach the end of their present step.
pub(crate) async fn run(
    engine: Arc<Engine>,
    events: Receiver<Frame>,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    // Leases are renewed and events published for as long as runs are executed.
    let drained = CancellationToken::new();
    // A failed queue ends the others as a shutdown does, and the daemon is started again.
    let stop = shutdown.child_token();
    let working = async {
        let _stop = stop.clone().drop_guard();
        work(&engine, shutdown).await
    };
    let executing = async {
        let _drained = drained.clone().drop_guard();
        dispatch(&engine, &stop).await;
    };
    let (worked, (), (), (), ()) = tokio::join!(
        working,
        executing,
        held::watch(&engine, &drained),
        sweep::run(&engine, &stop),
        frames::publish(&engine.context, events, &drained),
    );
    worked
}

/// Takes the jobs, each of which only wakes the dispatch.
async fn work(engine: &Arc<Engine>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let jobs = engine.context.queue::<RunAutomation>()?;
    let engine = Arc::clone(engine);
    queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| jobs.worker().data(Arc::clone(&engine)).build(run_automation))
        .run_with_signal(async move {
            shutdown.cancelled_owned().await;
            Ok(())
        })
        .await?;
    Ok(())
}

async fn run_automation(
    job: RunAutomation,
    engine: Data<Arc<Engine>>,
) -> std::result::Result<(), BoxDynError> {
    engine.wake(job.account_id);
    Ok(())
}

/// Gives each free place to the next account in the list.
async fn dispatch(engine: &Arc<Engine>, shutdown: &CancellationToken) {
    let places = Arc::new(Semaphore::new(MAX_CONCURRENT_RUNS_OF_A_COPY));
    let mut running = JoinSet::new();
    while let Some(Ok(place)) = shutdown.run_until_cancelled(Arc::clone(&places).acquire_owned()).await {
        while let Some(ended) = running.try_join_next() {
            report(ended);
        }
        let Some(account) = shutdown.run_until_cancelled(engine.ready.pop()).await else { break };
        running.spawn(serve(Arc::clone(engine), account, place));
    }
    engine.stop.cancel();
    let all = async {
        while let Some(ended) = running.join_next().await {
            report(ended);
        }
    };
    if tokio::time::timeout(RUN_DRAIN_TIMEOUT, all).await.is_err() {
        tracing::info!(runs = running.len(), "runs are left within an action");
        running.shutdown().await;
    }
}

/// Claims and executes one run of an account. Then the account may have another one.
async fn serve(engine: Arc<Engine>, account: Uuid, _place: OwnedSemaphorePermit) {
    if engine.is_full(account) {
        engine.ready.claimed(account, false);
        return;
    }
    let mut share = engine.shares.join(account);
    let claimed = share.work(engine.claim(account)).await;
    engine.ready.claimed(account, matches!(claimed, Ok(Some(_))));
    match claimed {
        Ok(Some(run)) => {
            engine.execute(&run, share).await;
            engine.ready.push(account);
        }
        Ok(None) => {}
        Err(error) => {
            drop(share);
            tracing::warn!(account_id = %account, %error, "runs of an account cannot be claimed");
            tokio::time::sleep(FAILURE_PAUSE).await;
            engine.ready.push(account);
        }
    }
}

/// Number of runs that an account may have in a copy that executes this number. Some accounts whose runs wait for slow
/// servers take half of the places at most: of the others an account takes few.
const fn max_runs_of_account(held: usize) -> i64 {
    if held < MAX_CONCURRENT_RUNS_OF_A_COPY / 2 {
        MAX_CONCURRENT_RUNS
    } else {
        MAX_RUNS_OF_ACCOUNT_IN_A_CROWDED_COPY
    }
}

fn report(ended: std::result::Result<(), JoinError>) {
    if let Err(error) = ended
        && !error.is_cancelled()
    {
        tracing::error!(%error, "a run has failed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_runs_of_account_leaves_places_to_many_accounts() {
        let (mut held, mut accounts) = (0, 0);
        while held < MAX_CONCURRENT_RUNS_OF_A_COPY {
            held += usize::try_from(max_runs_of_account(held)).unwrap();
            accounts += 1;
        }
        assert!(accounts > 150, "{accounts} accounts take every place");
    }
}
