//! Runs daemons: each on a task of its own, with a sign of life, started again when it fails, drained at the end.

use std::{
    net::{SocketAddr, TcpListener},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use prometheus::IntCounterVec;
use shared::{
    clock::Clock,
    config::Config,
    readiness::{ReasonCode, Watch},
    telemetry,
};
use tokio::task::{JoinError, JoinSet};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::{Context, Daemon, heartbeat};

/// Longest time from the wish to stop to the end (C B17).
pub const DRAIN: Duration = Duration::from_secs(20);
/// What a daemon gives its jobs of it: handlers end or are put back before ([`shared::jobs::HANDLER_DRAIN`]). The rest is
/// for what follows them.
pub const JOB_DRAIN: Duration = Duration::from_secs(10);
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// A daemon that ran this long before it failed is not one that fails at every start.
const STEADY: Duration = Duration::from_secs(60);
/// A daemon that was started again and runs for this long is no longer a reason not to be ready.
const SETTLED: Duration = Duration::from_secs(5);

/// Running daemons. Dropping it ends them without draining.
pub struct Running {
    /// Where the internal listener answers.
    pub metrics_address: SocketAddr,
    /// What the daemons work with.
    pub context: Context,
    stop: CancellationToken,
    daemons: JoinSet<()>,
    listener: JoinSet<()>,
}

/// Starts daemons and returns.
///
/// # Errors
/// When the internal listener's address cannot be bound or the configuration names something unusable.
pub async fn start(config: Config, daemons: &[Daemon]) -> anyhow::Result<Running> {
    start_with(config, Clock::default(), daemons).await
}

/// Starts daemons that take the time from a given clock.
///
/// # Errors
/// As [`start`].
pub async fn start_with(config: Config, clock: Clock, daemons: &[Daemon]) -> anyhow::Result<Running> {
    let address = config.workers.metrics_bind;
    let listener = TcpListener::bind(address)
        .with_context(|| format!("LUMIO_WORKER_METRICS_BIND: {address} cannot be listened on"))?;
    let metrics_address = listener.local_addr()?;
    let context = Context::new(config, clock)?;
    register_gauges(&context)?;
    let restarts = context.metrics.counters(
        "lumio_worker_restarts_total",
        "How often a daemon was started again after it had failed.",
        &["daemon"],
    )?;

    let (stop, stop_listening) = (CancellationToken::new(), CancellationToken::new());
    let mut metrics = JoinSet::new();
    let readiness = context.readiness.clone();
    let watch = Watch::new(&context.config, context.redis.clone(), readiness.clone(), &context.metrics)?;
    metrics.spawn(watch.run(stop.clone()));
    metrics.spawn(telemetry::serve_metrics(listener, context.metrics.clone(), readiness, stop_listening)?);
    let mut running = JoinSet::new();
    for daemon in daemons {
        running.spawn(supervise(*daemon, context.clone(), stop.clone(), restarts.clone()));
    }
    tracing::info!(%metrics_address, daemons = ?daemons, "working");
    Ok(Running { metrics_address, context, stop, daemons: running, listener: metrics })
}

impl Running {
    /// Lets the daemons finish what they have begun, for at most [`DRAIN`]. What is unfinished then is done by another
    /// copy when its lease has run out.
    ///
    /// # Errors
    /// When a daemon did not end in time.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.context.readiness.drain();
        self.stop.cancel();
        let drained =
            tokio::time::timeout(DRAIN, async { while self.daemons.join_next().await.is_some() {} }).await;
        self.listener.shutdown().await;
        if drained.is_err() {
            let left = self.daemons.len();
            self.daemons.shutdown().await;
            bail!("{left} daemons did not end within {DRAIN:?}");
        }
        tracing::info!("stopped");
        Ok(())
    }
}

fn register_gauges(context: &Context) -> shared::Result<()> {
    let build = context.metrics.gauges("lumio_build_info", "The running version.", &["version"])?;
    build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
    Ok(())
}

async fn supervise(daemon: Daemon, context: Context, stop: CancellationToken, restarts: IntCounterVec) {
    let (instance, name, mut pause) = (shared::id::new(), daemon.name(), INITIAL_BACKOFF);
    restarts.with_label_values(&[name]).inc_by(0);
    loop {
        let began = Instant::now();
        let run = AbortOnDropHandle::new(tokio::spawn(daemon.run(context.clone(), stop.clone())));
        let over = CancellationToken::new();
        let running = async {
            let ended = run.await;
            over.cancel();
            ended
        };
        let settled = over.run_until_cancelled(async {
            tokio::time::sleep(SETTLED).await;
            context.readiness.clear(name);
        });
        let (ended, (), _) =
            tokio::join!(running, heartbeat::beat(&context, daemon, instance, &over), settled);
        if !stop.is_cancelled() {
            context.readiness.refuse(name, ReasonCode::Failed, failure(&ended));
        }
        report(name, &ended, stop.is_cancelled());
        heartbeat::end(&context, daemon, instance).await;
        if stop.is_cancelled() {
            return;
        }
        restarts.with_label_values(&[name]).inc();
        pause = if began.elapsed() > STEADY { INITIAL_BACKOFF } else { (pause * 2).min(MAX_BACKOFF) };
        if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return;
        }
    }
}

/// Why a daemon ended that was not told to.
fn failure(ended: &Result<anyhow::Result<()>, JoinError>) -> String {
    match ended {
        Ok(Ok(())) => "it ended by itself".to_owned(),
        Ok(Err(error)) => format!("{error:#}"),
        Err(error) => error.to_string(),
    }
}

fn report(daemon: &str, ended: &Result<anyhow::Result<()>, JoinError>, is_wanted: bool) {
    match ended {
        Ok(Ok(())) if is_wanted => tracing::info!(daemon, "drained"),
        Ok(Ok(())) => tracing::error!(daemon, "daemon ended by itself, starting it again"),
        Ok(Err(error)) => tracing::error!(daemon, error = format!("{error:#}"), "daemon failed"),
        Err(error) => tracing::error!(daemon, %error, "daemon panicked"),
    }
}
