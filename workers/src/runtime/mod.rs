//! The daemon `extension-runtime`: runs the handlers of extensions when chat messages and events trigger them
//! (specification B §4.4, C B3, B8).
//!
//! `feed` knows what is installed, `triggers` what a message or event runs, `commands` what the accounts' own commands
//! answer, `timers` what is due, `dispatcher` in which order, `notes` what has finished when a job runs again, `invoker`
//! whether and how, `turns` who computes, `egress` what a handler reaches, `actions` what it may do, and `telemetry` what
//! it did.

mod actions;
mod api;
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
mod lanes;
mod metrics;
mod modules;
mod notes;
mod push;
mod secrets;
mod shares;
mod storage;
pub(crate) mod system_key;
mod telemetry;
mod timers;
pub(crate) mod triggers;
mod turns;

use std::time::Duration;

use anyhow::Context as _;
use apalis::prelude::{AbortError, BoxDynError, Data};
use futures::{FutureExt, future::BoxFuture};
use sandbox::{Engine, EngineConfig};
use shared::{
    extensions::calls::Calls,
    jobs::{RunAutomationTrigger, RunTriggers},
};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::{Context, supervisor::JOB_DRAIN};
use actions::Actions;
use api::Api;
use automations::{Automations, Nodes, Polls, Postponed};
use cache::Caches;
use commands::{Answers, Uses};
use cooldown::Cooldowns;
use dispatcher::{Dispatcher, JobFailure};
use effects::Effects;
use egress::Egress;
use executor::{Executor, Told};
use failed_runs::FailedRuns;
use feed::Feed;
use functions::{Functions, Installs};
use gate::Gate;
use invoker::Invoker;
use lanes::Lanes;
use metrics::RuntimeMetrics;
use modules::Modules;
use notes::Notes;
use push::Pushes;
use secrets::SecretStore;
use storage::Storage;
use telemetry::Telemetry;
use timers::{ChatLines, Timers};

/// Runs until `shutdown` is cancelled. Jobs are taken as soon as the feed is known, and no sooner: a message would
/// find no handlers.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let api = Api::new(&context.config.workers, context.readiness.clone())?;
    let (dispatcher, mut runs) = dispatcher(&context, api.clone()).await?;
    if shutdown.run_until_cancelled(dispatcher.feed.load()).await.is_none() {
        return Ok(());
    }
    let (feed, telemetry) = (dispatcher.feed.clone(), dispatcher.telemetry.clone());
    let (uses, timers) = (dispatcher.answers.uses.clone(), timers(&context, &dispatcher));
    let (functions, executor) = (functions(&context, &dispatcher), dispatcher.invoker.executor.clone());
    let polls = polls(&context, api.clone());
    let working = async move {
        let serving = functions.serve(shutdown.clone()).boxed();
        let (ended, ()) = futures::join!(work(&context, dispatcher, api, shutdown), serving);
        executor.finish().await;
        ended
    }
    .boxed();
    let ended = tokio::select! {
        ended = working => ended,
        ((), (), (), (), (), ()) = async {
            futures::join!(feed.run(), telemetry.run(), uses.run(), timers.run(), runs.run(), polls.run())
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
    let automations = automations(context, &dispatcher, api);
    queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
        .register(move |_| jobs.worker().data(dispatcher.clone()).build(run_triggers))
        .register(move |_| triggers.worker().data(automations.clone()).build(run_automation_trigger))
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
    let feed = Feed::new(api.clone(), redis.clone(), clock.clone(), metrics.clone(), poll_every);
    let effects = Effects::new(api.clone());
    let actions = Actions::new(effects.clone(), metrics.clone());
    let (failed_runs, runs) =
        FailedRuns::new(context.databases.timescaledb.clone(), context.keyring.clone(), metrics.clone());
    let executor = Executor {
        modules: Modules::new(engine, metrics.clone()),
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
        clock: clock.clone(),
        told: Told::default(),
        deferred: TaskTracker::new(),
    };
    let invoker = Invoker {
        feed: feed.clone(),
        lanes: Lanes::new(config.runtime_concurrency, config.threads),
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
        notes: Notes::new(redis),
        telemetry,
        metrics,
        clock,
        answer_within: config.runtime_answer_within,
    };
    Ok((dispatcher, runs))
}

fn functions(context: &Context, dispatcher: &Dispatcher) -> Functions {
    let Invoker { lanes, gate, executor, .. } = &dispatcher.invoker;
    Functions {
        id: shared::id::new(),
        calls: Calls::new(context.redis.clone()),
        redis: context.redis.clone(),
        clock: context.clock.clone(),
        installs: Installs::new(context.databases.postgres.clone(), context.keyring.clone()),
        lanes: lanes.clone(),
        gate: gate.clone(),
        executor: executor.clone(),
    }
}

fn automations(context: &Context, dispatcher: &Dispatcher, api: Api) -> Automations {
    let Invoker { lanes, gate, executor, .. } = &dispatcher.invoker;
    Automations {
        nodes: Nodes::new(api.clone()),
        api,
        redis: context.redis.clone(),
        database: context.databases.postgres.clone(),
        lanes: lanes.clone(),
        gate: gate.clone(),
        executor: executor.clone(),
    }
}

fn polls(context: &Context, api: Api) -> Polls {
    Polls {
        api,
        jobs: context.jobs.clone(),
        clock: context.clock.clone(),
        read_every: Duration::from_secs(context.config.workers.feed_poll_secs.into()),
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

/// Starts the JavaScript engine away from the threads that serve: compiling it the first time takes a while.
async fn engine(dir: &str) -> anyhow::Result<Engine> {
    let config = EngineConfig::new(dir);
    tokio::task::spawn_blocking(move || Engine::new(config))
        .await
        .context("the start of the JavaScript engine panicked")?
        .context("the JavaScript engine cannot be used")
}
