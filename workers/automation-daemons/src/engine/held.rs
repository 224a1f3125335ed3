//! Runs that this copy executes: renewal of their leases, and requests to cancel them.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::Prepare;
use shared::Result;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Engine;

/// Lifetime of the lease of a run (reference/automations.md#execution).
pub(super) const LEASE_TTL: TimeDelta = TimeDelta::seconds(30);
/// Interval of renewals of leases (reference/automations.md#execution).
const RENEW_INTERVAL: TimeDelta = TimeDelta::seconds(10);
/// Interval of checks for cancelled runs (reference/automations.md#execution).
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Runs of one copy.
#[derive(Debug, Default)]
pub(super) struct HeldRuns {
    runs: Mutex<HashMap<Uuid, Held>>,
}

#[derive(Debug)]
struct Held {
    account: Uuid,
    is_cancelled: Arc<AtomicBool>,
}

/// Run that is held until this is dropped.
pub(super) struct HeldRun<'a> {
    runs: &'a HeldRuns,
    id: Uuid,
    is_cancelled: Arc<AtomicBool>,
}

impl HeldRuns {
    /// Holds a run.
    pub fn hold(&self, id: Uuid, account: Uuid, is_cancelled: bool) -> HeldRun<'_> {
        let is_cancelled = Arc::new(AtomicBool::new(is_cancelled));
        let held = Held { account, is_cancelled: Arc::clone(&is_cancelled) };
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).insert(id, held);
        HeldRun { runs: self, id, is_cancelled }
    }

    /// Number of held runs.
    pub fn count(&self) -> usize {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Held runs of an account.
    pub fn of_account(&self, account: Uuid) -> Vec<Uuid> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().filter(|(_, held)| held.account == account).map(|(id, _)| *id).collect()
    }

    fn ids(&self) -> Vec<Uuid> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).keys().copied().collect()
    }

    fn cancel(&self, ids: &[Cancelled]) {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        for held in ids.iter().filter_map(|cancelled| runs.get(&cancelled.id)) {
            held.is_cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl HeldRun<'_> {
    /// True when the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        AtomicBool::load(&self.is_cancelled, Ordering::Relaxed)
    }

    /// Notes that the run was cancelled.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl Drop for HeldRun<'_> {
    fn drop(&mut self) {
        self.runs.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

#[derive(QueryableByName)]
struct Cancelled {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Watches the held runs until `stop` is cancelled.
pub(super) async fn watch(engine: &Engine, stop: &CancellationToken) {
    let mut ticks = interval(CANCEL_CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut renewed_at = engine.context.clock.now();
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        let ids = engine.held.ids();
        if ids.is_empty() {
            continue;
        }
        if let Err(error) = check(engine, &ids, &mut renewed_at).await {
            tracing::warn!(%error, "leases of runs cannot be renewed");
        }
    }
}

async fn check(engine: &Engine, ids: &[Uuid], renewed_at: &mut DateTime<Utc>) -> Result<()> {
    // Runs that were deleted with their automation are cancelled as well.
    const CANCELLED: &str = "
        SELECT held.id FROM unnest($1) AS held (id)
        LEFT JOIN automation_runs AS run ON run.id = held.id
        WHERE run.id IS NULL OR run.cancel_requested_at IS NOT NULL";
    const RENEW: &str = "
        UPDATE automation_runs SET lease_until = $2
        WHERE id = ANY($1) AND lease_owner = $3 AND lease_until IS NOT NULL";
    let now = engine.context.clock.now();
    let mut connection = engine.context.databases.postgres.get().await?;
    if now - *renewed_at >= RENEW_INTERVAL {
        sql_query(RENEW)
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<Timestamptz, _>(now + LEASE_TTL)
            .bind::<SqlUuid, _>(engine.owner)
            .prepared()
            .execute(&mut *connection)
            .await?;
        *renewed_at = now;
    }
    let cancelled: Vec<Cancelled> =
        sql_query(CANCELLED).bind::<Array<SqlUuid>, _>(ids).prepared().load(&mut *connection).await?;
    drop(connection);
    engine.held.cancel(&cancelled);
    Ok(())
}
