//! The daemon `extension-runtime`: runs the handlers of extensions when chat messages and events trigger them
//! (reference/handlers.md).
//!
//! `feed` holds the installs, `triggers` finds the handlers of a message or event, `commands` answers the
//! accounts' own commands, `timers` adds due timers, `dispatcher` orders the calls of an event, `progress`
//! records finished ones for a repeated job, `invoker` admits and runs a call, `time_slices` shares the
//! processor, `egress` guards the network, `actions` executes results, and `telemetry` reports.

mod actions;
mod adaptive_limit;
mod api;
mod api_failure;
mod automations;
mod cache;
mod commands;
mod cooldown;
mod dispatcher;
mod effects;
mod egress;
mod executor;
pub mod failed_runs;
mod feed;
mod functions;
mod gate;
mod host;
mod invoker;
pub mod local;
mod metrics;
mod modules;
mod progress;
mod push;
mod redemptions;
mod run;
mod scheduler;
mod secrets;
mod shares;
mod storage;
pub mod system_key;
mod telemetry;
mod time_slices;
mod timers;
pub mod triggers;

use std::time::Duration;

use anyhow::Context as _;
use apalis::prelude::{AbortError, BoxDynError, Data};
use extension_model::{calls::Calls, limits::LimitCache};
use foundation::jobs::{RedeemReward, RestoreLayer, RunAutomationTrigger, RunTriggers};
use futures::{FutureExt, future::BoxFuture};
use sandbox::{Engine, EngineConfig};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use usage_model::{Meter, Stops};

use actions::Actions;
use api::Api;
use automations::{Automations, Nodes, Polls, Postponed};
use cache::Caches;
use commands::{Answers, Uses};
use cooldown::Cooldowns;
use dispatcher::{Dispatcher, JobFailure};
use effects::Effects;
use egress::Egress;
use executor::{Executor, ReportLimiter};
use failed_runs::FailedRuns;
use feed::Feed;
use functions::{Functions, Installs};
use gate::Gate;
use invoker::Invoker;
use metrics::RuntimeMetrics;
use modules::Modules;
use progress::ProgressStore;
use push::Pushes;
use redemptions::Redemptions;
use scheduler::FairScheduler;
use secrets::SecretStore;
use storage::Storage;
use telemetry::Telemetry;
use timers::{ChatLines, Timers};
use worker_core::{Context, JOB_DRAIN_TIMEOUT};

/// Runs until `shutdown` is cancelled. Jobs are taken only when the feed is known: earlier a message would
/// find no handlers.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let api = Api::new(&context.config.workers, context.readiness.clone())?;
    let (dispatcher, mut runs) = dispatcher(&context, api.clone()).await?;
    let limits = dispatcher.invoker.executor.limits.clone();
    let (stops, postgres) = (dispatcher.invoker.executor.stops.clone(), context.databases.postgres.clone());
    let loading = async { futures::join!(dispatcher.feed.load(), limits.load()) };
    if shutdown.run_until_cancelled(loading).await.is_none() {
        return Ok(());
    }
    let (feed, telemetry) = (dispatcher.feed.clone(), dispatcher.telemetry.clone());
    let (uses, timers) = (dispatcher.answers.uses.clone(), timers(&context, &dispatcher));
    let (functions, executor) = (functions(&context, &dispatcher), dispatcher.invoker.executor.clone());
    let polls = polls(&context, api.clone(), dispatcher.metrics.clone());
    let working = async move {
        let serving = functions.serve(shutdown.clone()).boxed();
        let (ended, ()) = futures::join!(work(&context, dispatcher, api, shutdown), serving);
        executor.finish().await;
        ended
    }
    .boxed();
    let ended = tokio::select! {
        ended = working => ended,
        ((), (), (), (), (), (), (), ()) = async {
            futures::join!(
                feed.run(), limits.run(), telemetry.run(), uses.run(), timers.run(), runs.run(), polls.run(),
                stops.run(&postgres)
            )
        } => Ok(()),
    };
    futures::join!(telemetry.finish(), uses.finish(), runs.finish());
    ended
}

async fn work(
    context: &Context,
    dispatcher: Dispatcher,
    api: Api,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let (jobs, triggers) = (context.queue::<RunTriggers>()?, context.queue::<RunAutomationTrigger>()?);
    let (redeeming, restoring) = (context.queue::<RedeemReward>()?, context.queue::<RestoreLayer>()?);
    let redemptions = redemptions(context, &dispatcher, api.clone());
    let restores = redemptions.clone();
    let automations = automations(context, &dispatcher, api);
    queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| jobs.worker().data(dispatcher.clone()).build(run_triggers))
        .register(move |_| triggers.worker().data(automations.clone()).build(run_automation_trigger))
        .register(move |_| redeeming.worker().data(redemptions.clone()).build(redemptions::redeem_reward))
        .register(move |_| restoring.worker().data(restores.clone()).build(redemptions::restore_layer))
        .run_with_signal(async move {
            shutdown.cancelled_owned().await;
            Ok(())
        })
        .await?;
    Ok(())
}

fn run_triggers(
    job: RunTriggers,
    dispatcher: Data<Dispatcher>,
) -> BoxFuture<'static, Result<(), BoxDynError>> {
    Box::pin(async move {
        match dispatcher.dispatch(&job).await {
            Ok(()) => Ok(()),
            Err(failure @ JobFailure::Postponed(_)) => Err(failure.into()),
            Err(failure @ JobFailure::Unreadable(_)) => Err(AbortError::new(failure).into()),
        }
    })
}

fn run_automation_trigger(
    job: RunAutomationTrigger,
    automations: Data<Automations>,
) -> BoxFuture<'static, Result<(), BoxDynError>> {
    Box::pin(async move { automations.run(&job).await.map_err(|postponed: Postponed| postponed.into()) })
}

async fn dispatcher(context: &Context, api: Api) -> anyhow::Result<(Dispatcher, failed_runs::Writer)> {
    let config = &context.config.workers;
    let (clock, redis) = (context.clock.clone(), context.redis.clone());
    let engine = engine(&config.engine_dir).await?;
    let metrics = RuntimeMetrics::new(&context.metrics)?;
    let telemetry = Telemetry::new(api.clone(), redis.clone(), clock.clone(), metrics.clone());
    let poll_every = Duration::from_secs(config.feed_poll_secs.into());
    let limits = LimitCache::new(context.databases.postgres.clone(), poll_every);
    let feed =
        Feed::new(api.clone(), redis.clone(), clock.clone(), metrics.clone(), limits.clone(), poll_every);
    let effects = Effects::new(api.clone());
    let actions = Actions::new(effects.clone(), metrics.clone());
    let (failed_runs, runs) =
        FailedRuns::new(context.databases.timescaledb.clone(), context.keyring.clone(), metrics.clone());
    let executor = Executor {
        modules: Modules::new(engine, metrics.clone()),
        limits,
        secrets: SecretStore::new(api.clone()),
        egress: Egress::new(&config.egress_test_hosts)?,
        storage: Storage::new(
            context.databases.postgres.clone(),
            clock.clone(),
            context.config.databases.pool_size,
        ),
        caches: Caches::new(redis.clone(), clock.clone()),
        pushes: Pushes::new(redis.clone(), clock.clone()),
        actions: actions.clone(),
        telemetry: telemetry.clone(),
        metrics: metrics.clone(),
        failed_runs,
        meter: Meter::new(redis.clone(), clock.clone(), &context.metrics)?,
        stops: Stops::new(clock.clone(), &context.metrics)?,
        clock: clock.clone(),
        reports: ReportLimiter::default(),
        deferred: TaskTracker::new(),
    };
    let invoker = Invoker {
        feed: feed.clone(),
        scheduler: FairScheduler::new(config.runtime_concurrency, config.threads),
        gate: Gate::new(redis.clone(), clock.clone(), config.runtime_invocations_per_minute),
        executor,
    };
    let cooldowns = Cooldowns::new(redis.clone());
    let uses = Uses::new(redis.clone(), context.databases.postgres.clone());
    let dispatcher = Dispatcher {
        feed,
        invoker,
        answers: Answers { effects, cooldowns: cooldowns.clone(), uses, metrics: metrics.clone() },
        cooldowns,
        lines: ChatLines::new(redis.clone()),
        actions,
        progress: ProgressStore::new(redis),
        telemetry,
        metrics,
        clock,
        answer_within: config.runtime_answer_within,
    };
    Ok((dispatcher, runs))
}

fn functions(context: &Context, dispatcher: &Dispatcher) -> Functions {
    let Invoker { scheduler, gate, executor, .. } = &dispatcher.invoker;
    Functions {
        id: shared::id::new(),
        calls: Calls::new(context.redis.clone()),
        redis: context.redis.clone(),
        clock: context.clock.clone(),
        installs: Installs::new(context.databases.postgres.clone(), context.keyring.clone()),
        scheduler: scheduler.clone(),
        gate: gate.clone(),
        executor: executor.clone(),
    }
}

fn automations(context: &Context, dispatcher: &Dispatcher, api: Api) -> Automations {
    let Invoker { scheduler, gate, executor, .. } = &dispatcher.invoker;
    Automations {
        nodes: Nodes::new(api.clone()),
        api,
        redis: context.redis.clone(),
        database: context.databases.postgres.clone(),
        scheduler: scheduler.clone(),
        gate: gate.clone(),
        executor: executor.clone(),
    }
}

fn redemptions(context: &Context, dispatcher: &Dispatcher, api: Api) -> Redemptions {
    let (database, clock) = (context.databases.postgres.clone(), context.clock.clone());
    Redemptions::new(api, database, clock, dispatcher.metrics.clone())
}

fn polls(context: &Context, api: Api, metrics: RuntimeMetrics) -> Polls {
    Polls {
        api,
        jobs: context.jobs.clone(),
        clock: context.clock.clone(),
        read_every: Duration::from_secs(context.config.workers.feed_poll_secs.into()),
        metrics,
    }
}

fn timers(context: &Context, dispatcher: &Dispatcher) -> Timers {
    Timers {
        feed: dispatcher.feed.clone(),
        lines: dispatcher.lines.clone(),
        database: context.databases.postgres.clone(),
        jobs: context.jobs.clone(),
        clock: context.clock.clone(),
    }
}

/// Starts the JavaScript engine on a blocking thread: its first compilation takes seconds.
async fn engine(dir: &str) -> anyhow::Result<Engine> {
    let config = EngineConfig::new(dir);
    tokio::task::spawn_blocking(move || Engine::new(config))
        .await
        .context("the start of the JavaScript engine panicked")?
        .context("the JavaScript engine cannot be used")
}
