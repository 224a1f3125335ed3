//! Queries over `usage_hours`. Each carries the account.

use api_core::{Result, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use uuid::Uuid;

use super::{Selection, UsageHour, UsageTotal};
use crate::UsageSubject;

/// Entries that a list has at most.
const MAX_LISTED: i64 = 10_000;

/// Number of all entries, and one of the page; without a page only the number.
#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    hour: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    subject_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<BigInt>)]
    requests: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    handler_us: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    fetches: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    messages: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    stored_bytes: Option<i64>,
}

const HOURS: &str = "
    WITH found AS (
        SELECT hour, subject_id, requests, handler_us, fetches, messages, stored_bytes FROM usage_hours
        WHERE account_id = $1 AND subject_kind = $2 AND hour >= $3 AND hour < $4
            AND ($5 IS NULL OR subject_id = $5)
        ORDER BY hour DESC, subject_id LIMIT $6
    ), page AS (
        SELECT * FROM found ORDER BY hour DESC, subject_id LIMIT $7 OFFSET $8
    )
    SELECT counted.total, page.hour, page.subject_id, page.requests, page.handler_us, page.fetches, page.messages,
        page.stored_bytes
    FROM (SELECT count(*) AS total FROM found) AS counted LEFT JOIN page ON true
    ORDER BY page.hour DESC, page.subject_id";

const TOTALS: &str = "
    WITH found AS (
        SELECT max(hour) AS hour, subject_id, sum(requests)::bigint AS requests, sum(handler_us)::bigint AS handler_us,
            sum(fetches)::bigint AS fetches, sum(messages)::bigint AS messages,
            (array_agg(stored_bytes ORDER BY hour DESC))[1] AS stored_bytes
        FROM usage_hours
        WHERE account_id = $1 AND subject_kind = $2 AND hour >= $3 AND hour < $4
            AND ($5 IS NULL OR subject_id = $5)
        GROUP BY subject_id ORDER BY sum(handler_us) DESC, sum(requests) DESC, subject_id LIMIT $6
    ), page AS (
        SELECT * FROM found ORDER BY handler_us DESC, requests DESC, subject_id LIMIT $7 OFFSET $8
    )
    SELECT counted.total, page.hour, page.subject_id, page.requests, page.handler_us, page.fetches, page.messages,
        page.stored_bytes
    FROM (SELECT count(*) AS total FROM found) AS counted LEFT JOIN page ON true
    ORDER BY page.handler_us DESC, page.requests DESC, page.subject_id";

/// One page of the hours, and the number of all.
pub(super) async fn hours(
    connection: &mut AsyncPgConnection,
    selection: &Selection,
) -> Result<(Vec<UsageHour>, i64)> {
    let rows = load(connection, HOURS, selection).await?;
    let subject = selection.subject.into();
    Ok((rows.iter().filter_map(|row| row.hour(subject)).collect(), total(&rows)))
}

/// One page of the totals, and the number of all.
pub(super) async fn totals(
    connection: &mut AsyncPgConnection,
    selection: &Selection,
) -> Result<(Vec<UsageTotal>, i64)> {
    let rows = load(connection, TOTALS, selection).await?;
    let subject = selection.subject.into();
    Ok((rows.iter().filter_map(|row| row.total(subject)).collect(), total(&rows)))
}

async fn load(
    connection: &mut AsyncPgConnection,
    statement: &'static str,
    selection: &Selection,
) -> Result<Vec<Row>> {
    Ok(sql_query(statement)
        .bind::<SqlUuid, _>(selection.account)
        .bind::<Text, _>(selection.subject.as_str())
        .bind::<Timestamptz, _>(selection.from)
        .bind::<Timestamptz, _>(selection.to)
        .bind::<Nullable<SqlUuid>, _>(selection.subject_id)
        .bind::<BigInt, _>(MAX_LISTED)
        .bind::<BigInt, _>(selection.window.limit)
        .bind::<BigInt, _>(selection.window.offset())
        .prepared()
        .load(connection)
        .await?)
}

fn total(rows: &[Row]) -> i64 {
    rows.first().map_or(0, |row| row.total)
}

/// Number as callers see it. One that was taken back before it was added is not negative.
fn count(number: Option<i64>) -> Int64 {
    Int64(number.unwrap_or(0).max(0))
}

impl Row {
    fn hour(&self, subject: UsageSubject) -> Option<UsageHour> {
        Some(UsageHour {
            hour: self.hour?.into(),
            subject,
            subject_id: self.subject_id?,
            requests: count(self.requests),
            handler_ms: count(self.handler_us.map(|micros| micros / 1000)),
            fetches: count(self.fetches),
            messages: count(self.messages),
            stored_bytes: count(self.stored_bytes),
        })
    }

    fn total(&self, subject: UsageSubject) -> Option<UsageTotal> {
        let UsageHour { subject_id, requests, handler_ms, fetches, messages, stored_bytes, .. } =
            self.hour(subject)?;
        Some(UsageTotal { subject, subject_id, requests, handler_ms, fetches, messages, stored_bytes })
    }
}
