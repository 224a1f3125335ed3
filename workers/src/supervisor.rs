//! Supervisor: runs each daemon on a task of its own with a heartbeat, restarts it when it fails, and drains
//! it at the end (reference/jobs.md#supervision).

use std::{
    net::{SocketAddr, TcpListener},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use foundation::{
    readiness::{ReasonCode, Watch},
    telemetry,
};
use prometheus::IntCounterVec;
use shared::{clock::Clock, config::Config};
use tokio::task::{JoinError, JoinSet};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::{Daemon, heartbeat};
use platform_daemons::PlatformContext;
use worker_core::Context;

/// Maximum time from the request to stop to the end (reference/jobs.md#drain).
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// Pause before the first restart of a daemon.
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
/// Maximum pause before a restart of a daemon.
const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// Run time after which a failing daemon is restarted with the shortest pause again.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Run time after which a restarted daemon no longer counts against readiness.
const RECOVERED_AFTER: Duration = Duration::from_secs(5);

/// Running daemons. Dropping it ends them without draining.
pub struct Running {
    /// Address of the internal listener.
    pub metrics_address: SocketAddr,
    /// Context of the daemons.
    pub context: PlatformContext,
    stop: CancellationToken,
    daemons: JoinSet<()>,
    listener: JoinSet<()>,
}

/// Starts daemons and returns.
///
/// # Errors
/// An internal listener's address that cannot be bound, or an unusable value in the configuration.
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
    let context = PlatformContext::new(Context::new(config, clock)?);
    register_gauges(&context)?;
    let restarts = context.metrics.counters(
        "lumio_worker_restarts_total",
        "Restarts of a daemon after a failure.",
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
    /// Lets the daemons finish their work, for at most [`DRAIN_TIMEOUT`]. Another copy does unfinished work
    /// when its lease has expired.
    ///
    /// # Errors
    /// A daemon that did not end in time.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.context.readiness.drain();
        self.stop.cancel();
        let drained =
            tokio::time::timeout(DRAIN_TIMEOUT, async { while self.daemons.join_next().await.is_some() {} })
                .await;
        self.listener.shutdown().await;
        if drained.is_err() {
            let left = self.daemons.len();
            self.daemons.shutdown().await;
            bail!("{left} daemons did not end within {DRAIN_TIMEOUT:?}");
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

async fn supervise(
    daemon: Daemon,
    context: PlatformContext,
    stop: CancellationToken,
    restarts: IntCounterVec,
) {
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
            tokio::time::sleep(RECOVERED_AFTER).await;
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
        pause = if began.elapsed() > STABLE_AFTER { INITIAL_BACKOFF } else { (pause * 2).min(MAX_BACKOFF) };
        if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return;
        }
    }
}

/// Reason why a daemon ended that was not stopped.
fn failure(ended: &Result<anyhow::Result<()>, JoinError>) -> String {
    match ended {
        Ok(Ok(())) => "it ended unexpectedly".to_owned(),
        Ok(Err(error)) => format!("{error:#}"),
        Err(error) => error.to_string(),
    }
}

fn report(daemon: &str, ended: &Result<anyhow::Result<()>, JoinError>, is_wanted: bool) {
    match ended {
        Ok(Ok(())) if is_wanted => tracing::info!(daemon, "drained"),
        Ok(Ok(())) => tracing::error!(daemon, "daemon ended unexpectedly, restarting it"),
        Ok(Err(error)) => tracing::error!(daemon, error = format!("{error:#}"), "daemon failed"),
        Err(error) => tracing::error!(daemon, %error, "daemon panicked"),
    }
}
