//! The daemon `extension-runtime`: runs the handlers of extensions when chat messages and events trigger them
//! (specification B §4.4, C B3, B8).
//!
//! `feed` knows what is installed, `triggers` what a message or event runs, `dispatcher` in which order, `invoker`
//! whether and how, `egress` what a handler reaches, `actions` what it may do, and `telemetry` what it did.

mod actions;
mod api;
mod cooldown;
mod dispatcher;
mod egress;
mod feed;
mod gate;
mod host;
mod invoker;
mod lanes;
mod metrics;
mod modules;
mod secrets;
mod telemetry;
mod triggers;

use anyhow::Context as _;
use apalis_core::{
    error::{AbortError, BoxDynError},
    task::data::Data,
};
use futures::future::BoxFuture;
use sandbox::{Engine, EngineConfig};
use shared::jobs::RunTriggers;
use tokio_util::sync::CancellationToken;

use crate::{Context, supervisor::JOB_DRAIN};
use actions::Actions;
use api::Api;
use cooldown::Cooldowns;
use dispatcher::{Dispatcher, JobFailure};
use egress::Egress;
use feed::Feed;
use gate::Gate;
use invoker::{Invoker, Told};
use lanes::Lanes;
use metrics::RuntimeMetrics;
use modules::Modules;
use secrets::SecretStore;
use telemetry::Telemetry;

/// Runs until `shutdown` is cancelled. Jobs are taken as soon as the feed is known, and no sooner: a message would
/// find no handlers.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let dispatcher = dispatcher(&context).await?;
    if shutdown.run_until_cancelled(dispatcher.feed.load()).await.is_none() {
        return Ok(());
    }
    let (feed, telemetry) = (dispatcher.feed.clone(), dispatcher.telemetry.clone());
    let ended = tokio::select! {
        ended = work(&context, dispatcher, shutdown) => ended,
        ((), ()) = async { futures::join!(feed.run(), telemetry.run()) } => Ok(()),
    };
    telemetry.finish().await;
    ended
}

async fn work(context: &Context, dispatcher: Dispatcher, shutdown: CancellationToken) -> anyhow::Result<()> {
    let jobs = context.queue::<RunTriggers>()?;
    queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
        .register(move |_| jobs.worker().data(dispatcher.clone()).build(run_triggers))
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
            Err(failure @ JobFailure::Away(_)) => Err(failure.into()),
            Err(failure @ JobFailure::Unreadable(_)) => Err(AbortError::new(failure).into()),
        }
    })
}

async fn dispatcher(context: &Context) -> anyhow::Result<Dispatcher> {
    let config = &context.config.workers;
    let (clock, redis) = (context.clock.clone(), context.redis.clone());
    let api = Api::new(config)?;
    let engine = engine(&config.engine_dir).await?;
    let metrics = RuntimeMetrics::new(&context.metrics)?;
    let telemetry = Telemetry::new(api.clone(), clock.clone(), metrics.clone());
    let feed = Feed::new(api.clone(), redis.clone(), clock.clone(), metrics.clone());
    let invoker = Invoker {
        feed: feed.clone(),
        lanes: Lanes::new(config.runtime_concurrency),
        gate: Gate::new(redis.clone(), clock, config.runtime_invocations_per_minute),
        modules: Modules::new(engine, metrics.clone()),
        secrets: SecretStore::new(api.clone()),
        egress: Egress::new(&config.egress_test_hosts)?,
        telemetry: telemetry.clone(),
        metrics: metrics.clone(),
        told: Told::default(),
    };
    Ok(Dispatcher {
        feed,
        invoker,
        cooldowns: Cooldowns::new(redis),
        actions: Actions::new(api, metrics.clone()),
        telemetry,
        metrics,
    })
}

/// Starts the JavaScript engine away from the threads that serve: compiling it the first time takes a while.
async fn engine(dir: &str) -> anyhow::Result<Engine> {
    let config = EngineConfig::new(dir);
    tokio::task::spawn_blocking(move || Engine::new(config))
        .await
        .context("the start of the JavaScript engine panicked")?
        .context("the JavaScript engine cannot be used")
}
