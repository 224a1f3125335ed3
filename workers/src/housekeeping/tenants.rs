//! Gauges of the accounts whose handlers cost most (reference/telemetry.md#metrics-of-accounts). The label is the
//! rank, so that no series names an account.

use chrono::TimeDelta;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Double, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::telemetry::Metrics;
use prometheus::{GaugeVec, IntGaugeVec};
use shared::Result;
use uuid::Builder;

use worker_core::Context;

/// Period whose invocations count.
const WINDOW: TimeDelta = TimeDelta::minutes(15);
/// Time for which a worker may hold a record back.
const MAX_DELAY: TimeDelta = TimeDelta::minutes(10);
/// Number of accounts that are shown.
const RANKS: usize = 10;

/// Handler time by rank, and the number of accounts.
pub(super) struct TenantGauges {
    seconds: GaugeVec,
    accounts: IntGaugeVec,
}

#[derive(QueryableByName)]
struct Cost {
    #[diesel(sql_type = Double)]
    seconds: f64,
    #[diesel(sql_type = BigInt)]
    accounts: i64,
}

impl TenantGauges {
    /// Registers the gauges.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            seconds: metrics.float_gauges(
                "lumio_tenant_handler_seconds",
                "Time of handlers in the last 15 minutes of the account of this rank; rank 1 has most.",
                &["rank"],
            )?,
            accounts: metrics.gauges(
                "lumio_tenants_with_handlers",
                "Accounts whose handlers ran in the last 15 minutes.",
                &[],
            )?,
        })
    }

    /// Reads the invocations into the gauges.
    pub async fn measure(&self, context: &Context) {
        match costs(context).await {
            Ok(costs) => self.show(&costs),
            Err(error) => tracing::warn!(%error, "the cost of accounts cannot be read"),
        }
    }

    fn show(&self, costs: &[Cost]) {
        self.accounts.with_label_values::<&str>(&[]).set(costs.first().map_or(0, |cost| cost.accounts));
        for rank in 0..RANKS {
            let seconds = costs.get(rank).map_or(0.0, |cost| cost.seconds);
            self.seconds.with_label_values(&[&(rank + 1).to_string()]).set(seconds);
        }
    }
}

async fn costs(context: &Context) -> Result<Vec<Cost>> {
    let since = context.clock.now() - WINDOW;
    // Ids begin with the time at which a worker made them, so that their index bounds what is read.
    let millis = u64::try_from((since - MAX_DELAY).timestamp_millis()).unwrap_or(0);
    let first_id = Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid();
    let costs = sql_query(
        "SELECT sum(duration_ms_sum) / 1000 AS seconds, count(*) OVER () AS accounts FROM extension_invocations \
         WHERE id >= $1 AND bucket_minute >= $2 GROUP BY account_id ORDER BY seconds DESC LIMIT $3",
    )
    .bind::<SqlUuid, _>(first_id)
    .bind::<Timestamptz, _>(since)
    .bind::<BigInt, _>(i64::try_from(RANKS).unwrap_or(i64::MAX))
    .load(&mut *context.databases.timescaledb.get().await?)
    .await?;
    Ok(costs)
}
