//! Daemon that starts and runs automations (reference/automations.md).

pub mod effects;
pub mod engine;
mod metrics;
mod schedule;
pub mod starts;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use worker_core::Context;

use effects::Effects;
use engine::Engine;
use metrics::AutomationMetrics;

/// Runs until `shutdown` is cancelled, then finishes the steps in progress.
///
/// # Errors
/// An unusable configuration, or a failure of the queue.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let metrics = AutomationMetrics::new(&context.metrics)?;
    let effects = Effects::new(&context)?;
    let (engine, events) = Engine::new(&context, effects, metrics.clone(), CancellationToken::new());
    let scheduling = async {
        schedule::run(&context, &metrics, &shutdown).await;
        Ok(())
    };
    tokio::try_join!(
        engine::run(Arc::clone(&engine), events, shutdown.clone()),
        scheduling,
        starts::run(&context, engine, shutdown.clone()),
    )?;
    Ok(())
}
