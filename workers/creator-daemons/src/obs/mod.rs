//! Daemon `obs-remote`: connections to the OBS of accounts (reference/obs.md#connection).
//!
//! Any number of copies run. A lease in Redis makes one of them hold the connection of an account; when that copy
//! dies, another connects within seconds.

mod board;
mod connection;
mod db;
mod ended;
mod handshake;
mod metrics;
mod probes;
mod remotes;
mod session;
mod socket;
mod wakes;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use worker_core::Context;

use probes::Probes;
use remotes::{Remotes, SCAN_INTERVAL};

/// Connects to the OBS of accounts until `shutdown` is cancelled.
///
/// # Errors
/// Metrics that cannot be registered.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let mut remotes = Remotes::new(&context)?;
    let mut probes = Probes::new(&context);
    let mut wakes = wakes::follow(&context, &shutdown);
    let mut ticks = tokio::time::interval(SCAN_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            _ = ticks.tick() => {
                remotes.scan().await;
                probes.begin().await;
            }
            Some(wake) = wakes.recv() => match wake {
                live_model::obs::Wake::Config { account_id } => remotes.reconcile(account_id).await,
                live_model::obs::Wake::Command { account_id } => remotes.wake(account_id),
                live_model::obs::Wake::Test => probes.begin().await,
            }
        }
    }
    probes.end().await;
    remotes.end().await;
    Ok(())
}
