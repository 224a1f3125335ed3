//! Bound of the log of each endpoint (reference/webhooks.md#log). Any copy does it; a repetition changes nothing.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
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
/// Endpoints of one statement.
const PAGE_SIZE: i64 = 50;
/// Maximum number of pages of one trim.
const MAX_PAGES: usize = 100_000;
/// Deliveries that one statement deletes.
const BATCH_SIZE: i64 = 5000;
/// Maximum number of statements for one endpoint; the next trim continues.
const MAX_BATCHES: usize = 100;

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

impl Deliverer {
    /// Deletes the oldest deliveries of endpoints whose log is too long. Those that wait stay.
    ///
    /// # Errors
    /// A failure of the main database.
    pub async fn trim(&self) -> Result<()> {
        let mut after = Uuid::nil();
        for _ in 0..MAX_PAGES {
            let mut connection = self.context().databases.postgres.get().await?;
            let endpoints = page(&mut connection, after).await?;
            let Some(last) = endpoints.last() else { break };
            after = last.id;
            for endpoint in &endpoints {
                if let Some(last_at) = endpoint.last_at {
                    delete(&mut connection, endpoint, last_at).await?;
                }
            }
        }
        Ok(())
    }
}

async fn page(connection: &mut AsyncPgConnection, after: Uuid) -> Result<Vec<Endpoint>> {
    const PAGE: &str = "
        SELECT endpoint.id, endpoint.account_id, (
            SELECT logged.created_at FROM webhook_deliveries AS logged
            WHERE logged.account_id = endpoint.account_id AND logged.endpoint_id = endpoint.id
            ORDER BY logged.created_at DESC, logged.id DESC OFFSET $2 LIMIT 1) AS last_at
        FROM (
            SELECT id, account_id FROM webhook_endpoints WHERE id > $1 ORDER BY id LIMIT $3
        ) AS endpoint ORDER BY endpoint.id";
    Ok(sql_query(PAGE)
        .bind::<SqlUuid, _>(after)
        .bind::<BigInt, _>(MAX_LOGGED)
        .bind::<BigInt, _>(PAGE_SIZE)
        .prepared()
        .load(connection)
        .await?)
}

async fn delete(
    connection: &mut AsyncPgConnection,
    endpoint: &Endpoint,
    last_at: DateTime<Utc>,
) -> Result<()> {
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
            break;
        }
    }
    Ok(())
}
