//! Partitions of the time-series tables: made ahead, measured, and dropped when everything in them is beyond
//! its time (reference/storage.md#rows-over-time). TimescaleDB makes its chunks itself, so there only
//! dropping is left.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Double, Integer, Nullable, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::telemetry::Metrics;
use prometheus::{GaugeVec, IntGaugeVec};
use shared::{Error, Result};

use super::budget::{Progress, TimeBudget};
use worker_core::Context;

/// Number of partitions that exist after the current one.
const PARTITIONS_AHEAD: i32 = 4;

/// Gauges of the state of partitions.
pub(super) struct PartitionMetrics {
    ahead: GaugeVec,
    low: IntGaugeVec,
}

#[derive(QueryableByName)]
struct TableState {
    #[diesel(sql_type = Text)]
    table_name: String,
    /// Time by which the partitions reach into the future, in seconds; null on TimescaleDB.
    #[diesel(sql_type = Nullable<Double>)]
    ahead_seconds: Option<f64>,
    #[diesel(sql_type = Bool)]
    low: bool,
}

#[derive(QueryableByName)]
struct TableName {
    #[diesel(sql_type = Text)]
    table_name: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = Integer)]
    count: i32,
}

impl PartitionMetrics {
    /// Registers the gauges.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            ahead: metrics.float_gauges(
                "lumio_timeseries_partitions_ahead_seconds",
                "Time from now to the end of the last partition of a table.",
                &["table"],
            )?,
            low: metrics.gauges(
                "lumio_timeseries_partitions_low",
                "1: the partitions of a table end within one step from now, and rows will soon be refused.",
                &["table"],
            )?,
        })
    }
}

/// Makes the partitions that will be needed, table by table.
pub(super) async fn make(
    context: &Context,
    metrics: &PartitionMetrics,
    budget: &mut TimeBudget,
) -> Result<Progress> {
    let mut connection = context.databases.timescaledb.get().await?;
    let (made, progress) = for_each_table(
        &mut connection,
        budget,
        "SELECT timeseries_ensure(table_name, now() - partition_step, now() + $2 * partition_step) AS count \
         FROM timeseries_tables WHERE table_name = $1",
    )
    .await?;
    if made > 0 {
        tracing::info!(made, "partitions created");
    }
    drop(connection);
    measure(context, metrics).await?;
    Ok(progress)
}

/// Drops the partitions whose rows are all beyond their retention.
pub(super) async fn drop_expired(context: &Context, budget: &mut TimeBudget) -> Result<Progress> {
    let mut connection = context.databases.timescaledb.get().await?;
    let (dropped, progress) = for_each_table(
        &mut connection,
        budget,
        "SELECT timeseries_drop_before(table_name, now() - keep) AS count \
         FROM timeseries_tables WHERE table_name = $1 AND keep IS NOT NULL AND $2 IS NOT NULL",
    )
    .await?;
    tracing::info!(dropped, "partitions beyond their retention dropped");
    Ok(progress)
}

/// Reads the reach of the partitions into the gauges.
pub(super) async fn measure(context: &Context, metrics: &PartitionMetrics) -> Result<()> {
    let states: Vec<TableState> = sql_query(
        "SELECT table_name, extract(epoch FROM timeseries_ahead(table_name))::float8 AS ahead_seconds, \
         coalesce(timeseries_ahead(table_name) < partition_step, false) AS low FROM timeseries_tables",
    )
    .load(&mut *context.databases.timescaledb.get().await?)
    .await?;
    for state in states {
        if let Some(seconds) = state.ahead_seconds {
            metrics.ahead.with_label_values(&[&state.table_name]).set(seconds);
        }
        metrics.low.with_label_values(&[&state.table_name]).set(state.low.into());
        if state.low {
            tracing::error!(table = state.table_name, "the partitions end within one step from now");
        }
    }
    Ok(())
}

/// Runs `work` for each table in a transaction of its own, so that locks are held briefly, with a lock
/// timeout, so that no statement queues up behind this one. A failure is retried by the job's next attempt. A
/// table that is done already costs the next run almost nothing.
async fn for_each_table(
    connection: &mut AsyncPgConnection,
    budget: &mut TimeBudget,
    sql: &'static str,
) -> Result<(i64, Progress)> {
    let tables: Vec<TableName> =
        sql_query("SELECT table_name FROM timeseries_tables").load(connection).await?;
    let mut total = 0_i64;
    for table in tables {
        if !budget.allows_step() {
            return Ok((total, Progress::Pending));
        }
        let counts: Vec<Count> = connection
            .transaction(async |connection| {
                sql_query("SET LOCAL lock_timeout = '5s'").execute(connection).await?;
                // Dropping many chunks may take longer than the usual timeout allows.
                sql_query("SET LOCAL statement_timeout = '2min'").execute(connection).await?;
                let counts =
                    sql_query(sql).bind::<Text, _>(&table.table_name).bind::<Integer, _>(PARTITIONS_AHEAD);
                Ok::<_, Error>(counts.load(connection).await?)
            })
            .await?;
        total += counts.iter().map(|row| i64::from(row.count)).sum::<i64>();
    }
    Ok((total, Progress::Completed))
}
