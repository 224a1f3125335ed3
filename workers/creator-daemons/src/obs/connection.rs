//! Connection to the OBS of one account, for as long as this copy has its lease: connects, serves, and connects
//! again (reference/obs.md#connection).

use std::time::Duration;

use foundation::{egress::HostRule, lease::Lease};
use live_model::obs::ObsExchange;
use platform_daemons::sources::Pauses;
use tokio::{
    sync::Notify,
    time::{Instant, MissedTickBehavior, interval, timeout_at},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::Context;

use super::{
    board::Board,
    ended::Ended,
    handshake::{self, Target},
    metrics::ObsMetrics,
    session::Session,
};

/// Interval at which the lease is renewed.
const RENEW_INTERVAL: Duration = Duration::from_secs(2);
/// Interval at which the state is stored again while there is no connection.
const STATE_INTERVAL: Duration = Duration::from_secs(10);
/// Time of a connection after which the next interruption begins with the shortest pause again.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Pause after a refusal that only a person can change; a saved configuration ends it
/// (reference/obs.md#connection).
const REFUSED_COOLDOWN: Duration = Duration::from_secs(600);

/// Connection of one account.
pub(super) struct Connection {
    pub context: Context,
    pub exchange: ObsExchange,
    pub rule: HostRule,
    pub metrics: ObsMetrics,
    pub account: Uuid,
    pub target: Target,
    /// Notified when a command waits.
    pub woken: std::sync::Arc<Notify>,
    pub stop: CancellationToken,
}

impl Connection {
    /// Runs until `stop` is cancelled or another copy has the lease, and releases the lease.
    pub async fn run(self, mut lease: Lease) {
        let mut board = Board::new(&self.context, &self.exchange, self.account);
        let (is_held, ()) = tokio::join!(self.renew_lease(&mut lease), self.connect(&mut board));
        if is_held {
            board.clear().await;
            lease.release().await;
        }
    }

    /// Renews the lease. Stops the connection when another copy has it, and when it cannot be renewed before it
    /// expires. Returns whether it was held to the end.
    async fn renew_lease(&self, lease: &mut Lease) -> bool {
        let mut ticks = interval(RENEW_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stop.is_cancelled() {
            let expires_at = lease.expires_at();
            let renewed = async {
                ticks.tick().await;
                lease.extend().await
            };
            match self.stop.run_until_cancelled(timeout_at(expires_at, renewed)).await {
                None => return true,
                Some(Ok(Ok(true))) => {}
                Some(Ok(Err(error))) => {
                    tracing::warn!(account = %self.account, %error, "the lease on an OBS cannot be renewed");
                }
                Some(Ok(Ok(false)) | Err(_)) => {
                    tracing::info!(account = %self.account, "another copy connects to the OBS");
                    self.stop.cancel();
                    return false;
                }
            }
        }
        true
    }

    async fn connect(&self, board: &mut Board) {
        let mut pauses = Pauses::default();
        while !self.stop.is_cancelled() {
            let began = Instant::now();
            let Err(reason) = self.serve(board).await else { continue };
            if began.elapsed() > STABLE_AFTER {
                pauses = Pauses::default();
            }
            let pause = if reason.is_permanent() { REFUSED_COOLDOWN } else { pauses.next_pause() };
            tracing::info!(account = %self.account, %reason, ?pause, "there is no connection to OBS for now");
            self.metrics.interruptions.with_label_values(&[reason.label()]).inc();
            board.disconnect(Some(reason.to_string())).await;
            self.rest(board, pause).await;
        }
    }

    /// Connects once. Returns without an error when it is to stop.
    async fn serve(&self, board: &mut Board) -> Result<(), Ended> {
        let opened = self.stop.run_until_cancelled(handshake::open(&self.target, &self.rule)).await;
        let Some(socket) = opened.transpose()? else { return Ok(()) };
        let (parts, signals) = ((&self.context, &self.exchange), (&*self.woken, &self.stop));
        Session::new(parts, self.account, board, signals, socket).run().await
    }

    /// Waits, and keeps the stored state.
    async fn rest(&self, board: &Board, pause: Duration) {
        let (until, mut renewals) = (Instant::now() + pause, interval(STATE_INTERVAL));
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep_until(until) => return,
                _ = renewals.tick() => board.renew().await,
            }
        }
    }
}
