//! Queries over `webhook_deliveries`. Each carries the account.

use api_core::{ApiError, CursorPage, Position, Result, Timestamp, cursor::Part};
use chrono::{DateTime, Utc};
use diesel::{
    Queryable, QueryableByName, Selectable, insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
    update,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{db::Prepare, trace::current_headers};
use shared::{id::AccountId, schema::webhook_deliveries};
use uuid::Uuid;

use super::{WebhookDelivery, WebhookDeliveryStatus};

/// Deliveries that a list has at most, the newest.
const MAX_LISTED: i64 = 10_000;

/// Deliveries of an endpoint that a list has.
#[derive(Hash)]
pub(super) struct Selection {
    pub account: AccountId,
    pub endpoint: Uuid,
    pub status: Option<WebhookDeliveryStatus>,
    pub event_type: Option<String>,
}

#[derive(Insertable)]
#[diesel(table_name = webhook_deliveries)]
pub(super) struct NewTest<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub endpoint_id: Uuid,
    pub event_id: Uuid,
    pub event_type: &'a str,
    pub occurred_at: DateTime<Utc>,
    pub is_immediate: bool,
    pub next_attempt_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub traceparent: Option<String>,
    pub tracestate: Option<String>,
}

#[derive(Queryable, Selectable, QueryableByName)]
#[diesel(table_name = webhook_deliveries)]
struct Row {
    id: Uuid,
    endpoint_id: Uuid,
    event_id: Uuid,
    event_type: String,
    occurred_at: Timestamp,
    status: String,
    attempts: i32,
    next_attempt_at: Option<Timestamp>,
    last_attempt_at: Option<Timestamp>,
    last_status_code: Option<i32>,
    last_error: Option<String>,
    response_excerpt: Option<String>,
    duration_ms: Option<i32>,
    created_at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Counts the selected deliveries, up to the end of the list, for a page beyond it.
const COUNT: &str = "
    SELECT count(*) AS count FROM (
        SELECT FROM webhook_deliveries
        WHERE account_id = $1 AND endpoint_id = $2 AND ($3 IS NULL OR status = $3) AND ($4 IS NULL OR event_type = $4)
        LIMIT $5) AS found";

/// One part of the selected deliveries.
const PART: &str = "
    SELECT id, endpoint_id, event_id, event_type, occurred_at, status, attempts, next_attempt_at, last_attempt_at,
        last_status_code, last_error, response_excerpt, duration_ms, created_at
    FROM webhook_deliveries
    WHERE account_id = $1 AND endpoint_id = $2 AND ($3 IS NULL OR status = $3) AND ($4 IS NULL OR event_type = $4)
        AND ($5 IS NULL OR (created_at, id) < ($5, $6))
    ORDER BY created_at DESC, id DESC LIMIT $7 OFFSET $8";

/// One part, newest first. Both statements are planned with their values, so an absent condition costs nothing. Pages end
/// with the list, which a cursor continues to the last delivery that is kept.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    selection: &Selection,
    part: Part,
) -> Result<CursorPage<WebhookDelivery>> {
    let total = match part.total() {
        Some(total) => total,
        None => count(connection, selection).await?,
    };
    let room = if part.after().is_some() { i64::MAX } else { (MAX_LISTED - part.offset()).max(0) };
    let rows: Vec<Row> = sql_query(PART)
        .bind::<SqlUuid, _>(selection.account)
        .bind::<SqlUuid, _>(selection.endpoint)
        .bind::<Nullable<Text>, _>(selection.status.map(WebhookDeliveryStatus::as_str))
        .bind::<Nullable<Text>, _>(selection.event_type.as_deref())
        .bind::<Nullable<Timestamptz>, _>(part.after_at())
        .bind::<Nullable<SqlUuid>, _>(part.after_id())
        .bind::<BigInt, _>(part.limit().min(room))
        .bind::<BigInt, _>(part.offset())
        .load(connection)
        .await?;
    let position = |row: &Row| Position { at: row.created_at, id: row.id };
    let rows = rows.into_iter().map(|row| (position(&row), row)).collect();
    part.page(rows, total).try_map(Row::into_delivery)
}

async fn count(connection: &mut AsyncPgConnection, selection: &Selection) -> Result<i64> {
    let Count { count } = sql_query(COUNT)
        .bind::<SqlUuid, _>(selection.account)
        .bind::<SqlUuid, _>(selection.endpoint)
        .bind::<Nullable<Text>, _>(selection.status.map(WebhookDeliveryStatus::as_str))
        .bind::<Nullable<Text>, _>(selection.event_type.as_deref())
        .bind::<BigInt, _>(MAX_LISTED)
        .get_result(connection)
        .await?;
    Ok(count)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    test: &NewTest<'_>,
) -> Result<WebhookDelivery> {
    let row = insert_into(webhook_deliveries::table).values(test).returning(Row::as_returning());
    row.get_result(connection).await?.into_delivery()
}

/// Finds a delivery of an endpoint of the account.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    (endpoint, id): (Uuid, Uuid),
) -> Result<WebhookDelivery> {
    let of_endpoint =
        webhook_deliveries::account_id.eq(account).and(webhook_deliveries::endpoint_id.eq(endpoint));
    let row: Option<Row> = webhook_deliveries::table
        .filter(of_endpoint.and(webhook_deliveries::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.ok_or_else(|| ApiError::not_found("Webhook delivery not found"))?.into_delivery()
}

/// Lets a delivery of a locked endpoint wait once more, without its last outcome, in the trace of the present request.
pub(super) async fn replay(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    (endpoint, id): (Uuid, Uuid),
    expires_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<WebhookDelivery> {
    let (traceparent, tracestate) = current_headers();
    let of_endpoint =
        webhook_deliveries::account_id.eq(account).and(webhook_deliveries::endpoint_id.eq(endpoint));
    update(webhook_deliveries::table.filter(of_endpoint.and(webhook_deliveries::id.eq(id))))
        .set((
            webhook_deliveries::status.eq(WebhookDeliveryStatus::Pending.as_str()),
            webhook_deliveries::is_immediate.eq(true),
            webhook_deliveries::next_attempt_at.eq(now),
            webhook_deliveries::expires_at.eq(expires_at),
            webhook_deliveries::last_status_code.eq(None::<i32>),
            webhook_deliveries::last_error.eq(None::<String>),
            webhook_deliveries::response_excerpt.eq(None::<String>),
            webhook_deliveries::duration_ms.eq(None::<i32>),
            webhook_deliveries::traceparent.eq(traceparent),
            webhook_deliveries::tracestate.eq(tracestate),
        ))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?
        .into_delivery()
}

/// Number of tests and replays of an endpoint that wait.
pub(super) async fn count_immediate(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    endpoint: Uuid,
) -> Result<i64> {
    // The status is a part of the text, so that the partial index is used.
    let counted: Count = sql_query(
        "SELECT count(*) AS count FROM webhook_deliveries
         WHERE account_id = $1 AND endpoint_id = $2 AND status = 'pending' AND is_immediate",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<SqlUuid, _>(endpoint)
    .prepared()
    .get_result(connection)
    .await?;
    Ok(counted.count)
}

impl Row {
    fn into_delivery(self) -> Result<WebhookDelivery> {
        let status = WebhookDeliveryStatus::parse(&self.status);
        let status = status.ok_or_else(|| {
            ApiError::internal(format!("the status {} of a delivery is unknown", self.status))
        })?;
        Ok(WebhookDelivery {
            id: self.id,
            endpoint_id: self.endpoint_id,
            event_id: self.event_id,
            event_type: self.event_type,
            status,
            attempts: self.attempts,
            next_attempt_at: self.next_attempt_at,
            last_attempt_at: self.last_attempt_at,
            last_status_code: self.last_status_code,
            last_error: self.last_error,
            response_excerpt: self.response_excerpt,
            duration_ms: self.duration_ms,
            occurred_at: self.occurred_at,
            created_at: self.created_at.into(),
        })
    }
}
