//! Ends of deliveries and secrets whose time is over, and gauges (reference/webhooks.md#retries). Any copy does it; a
//! repetition changes nothing.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::Deliverer;

/// Interval between sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_secs(30);
/// Rows of one statement.
const BATCH_SIZE: i64 = 1000;
/// Maximum number of statements of one sweep; the next one continues.
const MAX_BATCHES: usize = 100;
/// Deliveries that are counted at most.
const MAX_COUNTED: i64 = 100_000;
/// Reason of a delivery for which no attempt was possible in time.
const TOO_LATE: &str = "Not sent within three days";
/// The same of a test or replay.
const IMMEDIATE_TOO_LATE: &str = "Not sent within an hour";

#[derive(QueryableByName)]
struct Gauges {
    #[diesel(sql_type = BigInt)]
    waiting: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    oldest: Option<DateTime<Utc>>,
}

/// Sweeps until `shutdown` is cancelled.
pub(crate) async fn run(deliverer: &Deliverer, shutdown: &CancellationToken) {
    let mut ticks = interval(SWEEP_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = deliverer.sweep().await {
            tracing::warn!(%error, "deliveries of webhooks cannot be swept");
        }
    }
}

impl Deliverer {
    /// Fails the deliveries whose time is over, removes secrets that sign no longer, and sets the gauges.
    ///
    /// # Errors
    /// A failure of the main database.
    pub async fn sweep(&self) -> Result<()> {
        let now = self.context().clock.now();
        let mut connection = self.context().databases.postgres.get().await?;
        for _ in 0..MAX_BATCHES {
            if fail_expired(&mut connection, now).await? < BATCH_SIZE {
                break;
            }
        }
        remove_secrets(&mut connection, now).await?;
        let gauges = gauges(&mut connection, now).await?;
        let lateness = gauges.oldest.map_or(0, |oldest| (now - oldest).num_seconds().max(0));
        self.metrics().wait(gauges.waiting, lateness);
        Ok(())
    }
}

/// Returns the number of deliveries that have failed.
async fn fail_expired(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<i64> {
    const FAIL: &str = "
        UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL,
            last_error = coalesce(last_error, CASE WHEN is_immediate THEN $3 ELSE $2 END)
        WHERE id = ANY (ARRAY(
            SELECT id FROM webhook_deliveries WHERE status = 'pending' AND expires_at <= $1
            ORDER BY expires_at LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED))";
    let failed = sql_query(FAIL)
        .bind::<Timestamptz, _>(now)
        .bind::<Text, _>(TOO_LATE)
        .bind::<Text, _>(IMMEDIATE_TOO_LATE)
        .bind::<BigInt, _>(BATCH_SIZE)
        .prepared()
        .execute(connection)
        .await?;
    Ok(i64::try_from(failed).unwrap_or(i64::MAX))
}

async fn remove_secrets(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<()> {
    const REMOVE: &str = "
        UPDATE webhook_endpoints SET previous_secret = NULL, previous_secret_until = NULL
        WHERE id = ANY (ARRAY(
            SELECT id FROM webhook_endpoints WHERE previous_secret IS NOT NULL AND previous_secret_until <= $1
            ORDER BY previous_secret_until LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED))";
    sql_query(REMOVE)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(BATCH_SIZE)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

async fn gauges(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<Gauges> {
    const GAUGES: &str = "
        SELECT (SELECT count(*) FROM (
                SELECT FROM webhook_deliveries WHERE status = 'pending' LIMIT $2) AS counted) AS waiting,
            (SELECT min(due_at) FROM webhook_endpoints
                WHERE due_at <= $1 AND (lease_until IS NULL OR lease_until <= now())) AS oldest";
    Ok(sql_query(GAUGES)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(MAX_COUNTED)
        .prepared()
        .get_result(connection)
        .await?)
}
