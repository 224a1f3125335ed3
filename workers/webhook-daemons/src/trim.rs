//! Bound of the log of each endpoint (reference/webhooks.md#log). One copy at a time does it; a repetition changes
//! nothing.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Deliverer;

/// Interval between trims.
const TRIM_INTERVAL: Duration = Duration::from_secs(600);
/// Maximum number of deliveries of an endpoint in the log, the newest (reference/webhooks.md#log).
const MAX_LOGGED: i64 = 20_000;
/// Endpoints of one transaction.
const PAGE_SIZE: i64 = 50;
/// Maximum number of pages of one trim.
const MAX_PAGES: usize = 100_000;
/// Deliveries that one statement deletes.
const BATCH_SIZE: i64 = 5000;
/// Maximum number of statements for one endpoint; the next trim continues.
const MAX_BATCHES: usize = 100;

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    is_locked: bool,
}

#[derive(QueryableByName)]
struct Endpoint {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    /// Time of the newest delivery that is deleted.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_at: Option<DateTime<Utc>>,
}

/// Trims until `shutdown` is cancelled.
pub(crate) async fn run(deliverer: &Deliverer, shutdown: &CancellationToken) {
    let mut ticks = interval(TRIM_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        let trimmed = shutdown.run_until_cancelled(deliverer.trim()).await;
        if let Some(Err(error)) = trimmed {
            tracing::warn!(%error, "logs of webhook endpoints cannot be trimmed");
        }
    }
}

/// Endpoints of one transaction that has ended.
struct Page {
    /// Those whose log has no more than its bound.
    trimmed: Vec<Uuid>,
    /// The last one; `None` when there are no further ones, or another copy trims.
    last: Option<Uuid>,
}

impl Deliverer {
    /// Deletes the oldest deliveries of endpoints whose log is too long. Those that wait stay. Endpoints without a delivery
    /// since their last trim are passed over. While another copy trims nothing happens.
    ///
    /// # Errors
    /// A failure of the main database.
    pub async fn trim(&self) -> Result<()> {
        let now = self.context().clock.now();
        let mut after = Uuid::nil();
        for _ in 0..MAX_PAGES {
            let mut connection = self.context().databases.postgres.get().await?;
            let page = connection.transaction(async |connection| trim_page(connection, after).await).await?;
            // Not in the transaction: it has rows of deliveries locked, which others lock after their endpoint.
            mark(&mut connection, &page.trimmed, now).await?;
            let Some(last) = page.last else { break };
            after = last;
        }
        Ok(())
    }
}

async fn trim_page(connection: &mut AsyncPgConnection, after: Uuid) -> Result<Page> {
    const LOCK: &str = "SELECT pg_try_advisory_xact_lock(hashtext('webhooks:trim')) AS is_locked";
    let lock: Locked = sql_query(LOCK).prepared().get_result(connection).await?;
    if !lock.is_locked {
        return Ok(Page { trimmed: Vec::new(), last: None });
    }
    let endpoints = page(connection, after).await?;
    let mut trimmed = Vec::with_capacity(endpoints.len());
    for endpoint in &endpoints {
        let is_trimmed = match endpoint.last_at {
            Some(last_at) => delete(connection, endpoint, last_at).await?,
            None => true,
        };
        if is_trimmed {
            trimmed.push(endpoint.id);
        }
    }
    Ok(Page { trimmed, last: endpoints.last().map(|endpoint| endpoint.id) })
}

/// Next endpoints that have got deliveries since their last trim.
async fn page(connection: &mut AsyncPgConnection, after: Uuid) -> Result<Vec<Endpoint>> {
    const PAGE: &str = "
        SELECT endpoint.id, endpoint.account_id, (
            SELECT logged.created_at FROM webhook_deliveries AS logged
            WHERE logged.account_id = endpoint.account_id AND logged.endpoint_id = endpoint.id
            ORDER BY logged.created_at DESC, logged.id DESC OFFSET $2 LIMIT 1) AS last_at
        FROM (
            SELECT candidate.id, candidate.account_id FROM webhook_endpoints AS candidate
            WHERE candidate.id > $1 AND EXISTS (
                SELECT FROM webhook_deliveries AS added
                WHERE added.account_id = candidate.account_id AND added.endpoint_id = candidate.id
                    AND added.created_at > coalesce(candidate.trimmed_at, '-infinity'))
            ORDER BY candidate.id LIMIT $3
        ) AS endpoint ORDER BY endpoint.id";
    Ok(sql_query(PAGE)
        .bind::<SqlUuid, _>(after)
        .bind::<BigInt, _>(MAX_LOGGED)
        .bind::<BigInt, _>(PAGE_SIZE)
        .prepared()
        .load(connection)
        .await?)
}

/// Stores the time of the trim.
async fn mark(connection: &mut AsyncPgConnection, endpoints: &[Uuid], now: DateTime<Utc>) -> Result<()> {
    const MARK: &str = "
        UPDATE webhook_endpoints SET trimmed_at = $2 WHERE id = ANY (ARRAY(
            SELECT id FROM webhook_endpoints WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE))";
    if endpoints.is_empty() {
        return Ok(());
    }
    sql_query(MARK)
        .bind::<Array<SqlUuid>, _>(endpoints)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the deliveries that have ended, up to one; returns false when some are left for the next trim.
async fn delete(
    connection: &mut AsyncPgConnection,
    endpoint: &Endpoint,
    last_at: DateTime<Utc>,
) -> Result<bool> {
    const DELETE: &str = "
        DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
            SELECT id FROM webhook_deliveries
            WHERE account_id = $1 AND endpoint_id = $2 AND created_at <= $3 AND status <> 'pending'
            ORDER BY created_at, id LIMIT $4 FOR UPDATE SKIP LOCKED))";
    for _ in 0..MAX_BATCHES {
        let deleted = sql_query(DELETE)
            .bind::<SqlUuid, _>(endpoint.account_id)
            .bind::<SqlUuid, _>(endpoint.id)
            .bind::<Timestamptz, _>(last_at)
            .bind::<BigInt, _>(BATCH_SIZE)
            .prepared()
            .execute(connection)
            .await?;
        if i64::try_from(deleted).unwrap_or(i64::MAX) < BATCH_SIZE {
            return Ok(true);
        }
    }
    Ok(false)
}
