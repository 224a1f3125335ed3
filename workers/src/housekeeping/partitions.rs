//! Partitions of the time-series tables: made ahead, measured, dropped when everything in them is beyond its time.
//! On TimescaleDB chunks make themselves, and only dropping is left to do.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Double, Integer, Nullable, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use prometheus::{GaugeVec, IntGaugeVec};
use shared::{Error, Result, telemetry::Metrics};

use super::turn::{Progress, Turn};
use crate::Context;

/// How many partitions stand ready after the current one.
const AHEAD: i32 = 4;

/// Gauges of the state of partitions.
pub(super) struct PartitionMetrics {
    ahead: GaugeVec,
    low: IntGaugeVec,
}

#[derive(QueryableByName)]
struct TableState {
    #[diesel(sql_type = Text)]
    table_name: String,
    /// Null on TimescaleDB.
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
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            ahead: metrics.float_gauges(
                "lumio_timeseries_partitions_ahead_seconds",
                "How far beyond now the partitions of a table reach.",
                &["table"],
            )?,
            low: metrics.gauges(
                "lumio_timeseries_partitions_low",
                "1 when a table's partitions reach less than one step beyond now: rows will soon be refused.",
                &["table"],
            )?,
        })
    }
}

/// Makes the partitions that will be needed, table by table.
pub(super) async fn make(context: &Context, metrics: &PartitionMetrics, turn: &mut Turn) -> Result<Progress> {
    let mut connection = context.databases.timescaledb.get().await?;
    let (made, progress) = for_each_table(
        &mut connection,
        turn,
        "SELECT timeseries_ensure(table_name, now() - partition_step, now() + $2 * partition_step) AS count \
         FROM timeseries_tables WHERE table_name = $1",
    )
    .await?;
    if made > 0 {
        tracing::info!(made, "partitions made");
    }
    drop(connection);
    measure(context, metrics).await?;
    Ok(progress)
}

/// Drops the partitions that hold nothing but rows beyond their retention.
pub(super) async fn drop_expired(context: &Context, turn: &mut Turn) -> Result<Progress> {
    let mut connection = context.databases.timescaledb.get().await?;
    let (dropped, progress) = for_each_table(
        &mut connection,
        turn,
        "SELECT timeseries_drop_before(table_name, now() - keep) AS count \
         FROM timeseries_tables WHERE table_name = $1 AND keep IS NOT NULL AND $2 IS NOT NULL",
    )
    .await?;
    tracing::info!(dropped, "partitions beyond their retention dropped");
    Ok(progress)
}

/// Reads how far the partitions reach into the gauges.
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
            tracing::error!(table = state.table_name, "the partitions reach less than one step beyond now");
        }
    }
    Ok(())
}

/// Each table in a transaction of its own, so that locks are held briefly, and with a limit to waiting for them, so
/// that nobody queues up behind us. What fails is tried again by the job's next attempt. A table that was done costs the
/// next turn next to nothing.
async fn for_each_table(
    connection: &mut AsyncPgConnection,
    turn: &mut Turn,
    sql: &'static str,
) -> Result<(i64, Progress)> {
    let tables: Vec<TableName> =
        sql_query("SELECT table_name FROM timeseries_tables").load(connection).await?;
    let mut total = 0_i64;
    for table in tables {
        if !turn.goes_on() {
            return Ok((total, Progress::Left));
        }
        let counts: Vec<Count> = connection
            .transaction(async |connection| {
                sql_query("SET LOCAL lock_timeout = '5s'").execute(connection).await?;
                // Dropping many chunks may take longer than anybody else may.
                sql_query("SET LOCAL statement_timeout = '2min'").execute(connection).await?;
                let counts = sql_query(sql).bind::<Text, _>(&table.table_name).bind::<Integer, _>(AHEAD);
                Ok::<_, Error>(counts.load(connection).await?)
            })
            .await?;
        total += counts.iter().map(|row| i64::from(row.count)).sum::<i64>();
    }
    Ok((total, Progress::Through))
}
