//! Queries of telemetry. Each carries the extension, whose ownership was checked before.

use api_core::{Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Double, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::feeds::DurationHistogram;
use foundation::db::Reader;
use uuid::Uuid;

use super::{ExtensionError, ExtensionMetrics, HandlerMetrics, MetricsBucket};

const MAX_HANDLERS: i64 = 100;
const MAX_BUCKETS: i64 = 1000;

/// Part of the errors of an extension.
pub(super) struct ErrorSelection {
    pub extension: Uuid,
    pub since: Option<DateTime<Utc>>,
    /// Only errors before this one; none when the extension has no such error.
    pub before: Option<Uuid>,
    pub limit: i64,
    pub offset: i64,
}

const ERRORS: &str = "
    SELECT id, error_type, message, stack_trace, occurred_at, install_id, account_id FROM extension_errors
    WHERE extension_id = $1 AND ($2 IS NULL OR occurred_at >= $2)
        AND ($3 IS NULL OR (occurred_at, id) < (
            SELECT failure.occurred_at, failure.id FROM extension_errors AS failure
            WHERE failure.id = $3 AND failure.extension_id = $1 LIMIT 1))
    ORDER BY occurred_at DESC, id DESC LIMIT $4 OFFSET $5";

/// Lists errors, newest first. The statement is planned with its values, so an absent condition costs nothing.
pub(super) async fn errors(
    connection: &mut AsyncPgConnection,
    selection: &ErrorSelection,
) -> Result<Vec<ExtensionError>> {
    Ok(sql_query(ERRORS)
        .bind::<SqlUuid, _>(selection.extension)
        .bind::<Nullable<Timestamptz>, _>(selection.since)
        .bind::<Nullable<SqlUuid>, _>(selection.before)
        .bind::<BigInt, _>(selection.limit)
        .bind::<BigInt, _>(selection.offset)
        .load(connection)
        .await?)
}

#[derive(QueryableByName)]
struct Sums {
    /// Null in the row with the sums of all handlers.
    #[diesel(sql_type = Nullable<Text>)]
    handler: Option<String>,
    #[diesel(sql_type = BigInt)]
    total_invocations: i64,
    #[diesel(sql_type = BigInt)]
    total_errors: i64,
    #[diesel(sql_type = Double)]
    duration_ms: f64,
    #[diesel(sql_type = Array<BigInt>)]
    classes: Vec<i64>,
}

#[derive(QueryableByName)]
struct Hour {
    #[diesel(sql_type = Timestamptz)]
    bucket: Timestamp,
    #[diesel(sql_type = BigInt)]
    total_invocations: i64,
    #[diesel(sql_type = BigInt)]
    total_errors: i64,
    #[diesel(sql_type = Double)]
    duration_ms: f64,
}

pub(super) async fn metrics(
    reader: &mut Reader<'_>,
    extension: Uuid,
    since: Option<DateTime<Utc>>,
) -> Result<ExtensionMetrics> {
    let sums = sums(reader, extension, since).await?;
    let time_series = hours(reader, extension, since).await?;
    let total = sums.iter().find(|row| row.handler.is_none());
    Ok(ExtensionMetrics {
        total_invocations: Int64(total.map_or(0, |row| row.total_invocations)),
        total_errors: Int64(total.map_or(0, |row| row.total_errors)),
        avg_execution_ms: total.map_or(0.0, |row| average(row.duration_ms, row.total_invocations)),
        p99_execution_ms: total.map_or(0.0, |row| DurationHistogram::percentile(&row.classes, 0.99)),
        by_handler: sums.iter().filter_map(by_handler).collect(),
        time_series,
    })
}

/// One row for all handlers and one for each of the most used ones.
async fn sums(reader: &mut Reader<'_>, extension: Uuid, since: Option<DateTime<Utc>>) -> Result<Vec<Sums>> {
    // Classes are summed by their position; a handler's sums are then collected into one array.
    let query = sql_query(
        "WITH counted AS (
             SELECT handler, count, errors, duration_ms_sum, duration_hist FROM extension_invocations
             WHERE extension_id = $1 AND ($2::timestamptz IS NULL OR bucket_minute >= $2)),
         sums AS (
             SELECT handler, sum(count)::bigint AS total_invocations, sum(errors)::bigint AS total_errors,
                    sum(duration_ms_sum) AS duration_ms
             FROM counted GROUP BY GROUPING SETS ((handler), ())),
         class_sums AS (
             SELECT handler, position, sum(class)::bigint AS class
             FROM counted, unnest(duration_hist) WITH ORDINALITY AS classes (class, position)
             GROUP BY GROUPING SETS ((handler, position), (position))),
         classes AS (
             SELECT handler, array_agg(class ORDER BY position) AS classes FROM class_sums GROUP BY handler)
         SELECT sums.handler, total_invocations, total_errors, duration_ms, coalesce(classes, '{}') AS classes
         FROM sums LEFT JOIN classes ON classes.handler IS NOT DISTINCT FROM sums.handler
         WHERE total_invocations IS NOT NULL
         ORDER BY sums.handler IS NOT NULL, total_invocations DESC, sums.handler LIMIT $3 + 1",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<Nullable<Timestamptz>, _>(since)
    .bind::<BigInt, _>(MAX_HANDLERS);
    Ok(reader.rows(query).await?)
}

/// The newest hours, oldest first.
async fn hours(
    reader: &mut Reader<'_>,
    extension: Uuid,
    since: Option<DateTime<Utc>>,
) -> Result<Vec<MetricsBucket>> {
    let query = sql_query(
        "SELECT date_bin('1 hour', bucket_minute, '2000-01-01Z') AS bucket, sum(count)::bigint AS total_invocations,
                sum(errors)::bigint AS total_errors, sum(duration_ms_sum) AS duration_ms
         FROM extension_invocations
         WHERE extension_id = $1 AND ($2::timestamptz IS NULL OR bucket_minute >= $2)
         GROUP BY 1 ORDER BY 1 DESC LIMIT $3",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<Nullable<Timestamptz>, _>(since)
    .bind::<BigInt, _>(MAX_BUCKETS);
    let mut rows: Vec<Hour> = reader.rows(query).await?;
    rows.reverse();
    Ok(rows
        .into_iter()
        .map(|row| MetricsBucket {
            bucket: row.bucket,
            total_invocations: Int64(row.total_invocations),
            total_errors: Int64(row.total_errors),
            avg_execution_ms: average(row.duration_ms, row.total_invocations),
        })
        .collect())
}

fn by_handler(row: &Sums) -> Option<HandlerMetrics> {
    Some(HandlerMetrics {
        handler: row.handler.clone()?,
        total_invocations: Int64(row.total_invocations),
        total_errors: Int64(row.total_errors),
        avg_execution_ms: average(row.duration_ms, row.total_invocations),
        p99_execution_ms: DurationHistogram::percentile(&row.classes, 0.99),
    })
}

fn average(sum: f64, count: i64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}
