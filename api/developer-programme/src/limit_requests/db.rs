//! Queries over `limit_requests` and `limit_request_events`.

use api_core::{
    ApiError, Result, Timestamp,
    graphql::{Int64, Json},
    page::Window,
};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    id::{self, UserId},
    schema::{
        developer_profiles, limit_request_events as events,
        limit_requests::{self, dsl},
    },
};
use uuid::Uuid;

use super::{LimitRequest, LimitRequestEvent, LimitRequestScope, LimitRequestStatus};

/// Bound of a timeline; a request has a few entries, and comments of reviewers.
const MAX_EVENTS: i64 = 500;

#[derive(Insertable)]
#[diesel(table_name = limit_requests)]
pub(super) struct NewLimitRequest<'a> {
    /// Identifier.
    pub id: Uuid,
    /// Developer profile.
    pub developer_id: Uuid,
    /// Person who makes the request.
    pub requested_by: UserId,
    /// Stored text of the scope.
    pub scope: &'a str,
    /// Extension of the scope `extension`.
    pub extension_id: Option<Uuid>,
    /// Key of the limit.
    pub limit_key: &'a str,
    /// Value at present.
    pub current_value: i64,
    /// Requested value.
    pub requested_value: i64,
    /// Reason.
    pub reason: &'a str,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = limit_requests)]
struct Row {
    id: Uuid,
    developer_id: Uuid,
    requested_by: Option<Uuid>,
    scope: String,
    extension_id: Option<Uuid>,
    limit_key: String,
    current_value: i64,
    requested_value: i64,
    reason: String,
    status: String,
    review_notes: Option<String>,
    reviewed_by: Option<Uuid>,
    reviewed_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = events)]
struct EventRow {
    id: Uuid,
    request_id: Uuid,
    event_type: String,
    actor_id: Option<Uuid>,
    details: Option<Value>,
    created_at: Timestamp,
}

impl TryFrom<Row> for LimitRequest {
    type Error = ApiError;

    fn try_from(row: Row) -> Result<Self> {
        let unknown = || ApiError::internal("a limit request has a scope or status that is not known");
        Ok(Self {
            id: row.id,
            developer_id: row.developer_id,
            requested_by: row.requested_by,
            scope: LimitRequestScope::parse(&row.scope).ok_or_else(unknown)?,
            extension_id: row.extension_id,
            limit_key: row.limit_key,
            current_value: Int64(row.current_value),
            requested_value: Int64(row.requested_value),
            reason: row.reason,
            status: LimitRequestStatus::parse(&row.status).ok_or_else(unknown)?,
            review_notes: row.review_notes,
            reviewed_by: row.reviewed_by,
            reviewed_at: row.reviewed_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

/// Returns one page of requests, newest first, and the total number; those of one developer, or of all.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    developer: Option<Uuid>,
    status: Option<LimitRequestStatus>,
    window: Window,
) -> Result<(Vec<LimitRequest>, i64)> {
    let mut rows = dsl::limit_requests.into_boxed();
    let mut count = dsl::limit_requests.into_boxed();
    if let Some(developer) = developer {
        rows = rows.filter(dsl::developer_id.eq(developer));
        count = count.filter(dsl::developer_id.eq(developer));
    }
    if let Some(status) = status {
        rows = rows.filter(dsl::status.eq(status.as_str()));
        count = count.filter(dsl::status.eq(status.as_str()));
    }
    let rows: Vec<Row> = rows
        .order(dsl::id.desc())
        .limit(window.limit)
        .offset(window.offset())
        .select(Row::as_select())
        .load(connection)
        .await?;
    let items = rows.into_iter().map(LimitRequest::try_from).collect::<Result<_>>()?;
    Ok((items, count.count().get_result(connection).await?))
}

/// Returns a request of a person's own developer profile.
pub(super) async fn find_own(
    connection: &mut AsyncPgConnection,
    user: UserId,
    id: Uuid,
) -> Result<Option<LimitRequest>> {
    let row: Option<Row> = dsl::limit_requests
        .inner_join(developer_profiles::table)
        .filter(dsl::id.eq(id).and(developer_profiles::user_id.eq(user)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.map(LimitRequest::try_from).transpose()
}

/// Returns a request of any developer.
pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<LimitRequest>> {
    let found = dsl::limit_requests.find(id).select(Row::as_select());
    let row: Option<Row> = found.first(connection).await.optional()?;
    row.map(LimitRequest::try_from).transpose()
}

/// Returns a request of any developer, locked until the transaction ends.
pub(super) async fn find_locked(
    connection: &mut AsyncPgConnection,
    id: Uuid,
) -> Result<Option<LimitRequest>> {
    let found = dsl::limit_requests.find(id).select(Row::as_select()).for_update();
    let row: Option<Row> = found.first(connection).await.optional()?;
    row.map(LimitRequest::try_from).transpose()
}

/// Inserts a request; `None` when one for the same limit waits for its decision.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    new: &NewLimitRequest<'_>,
) -> Result<Option<LimitRequest>> {
    let row: Option<Row> = insert_into(dsl::limit_requests)
        .values(new)
        .on_conflict_do_nothing()
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    row.map(LimitRequest::try_from).transpose()
}

/// Sets the status to `in_review`.
pub(super) async fn start_review(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<LimitRequest> {
    let row: Row = diesel::update(dsl::limit_requests.find(id))
        .set((dsl::status.eq("in_review"), dsl::updated_at.eq(now)))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?;
    row.try_into()
}

/// Stores a decision.
pub(super) async fn decide(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    status: &str,
    notes: Option<&str>,
    reviewer: Option<UserId>,
    now: DateTime<Utc>,
) -> Result<LimitRequest> {
    let row: Row = diesel::update(dsl::limit_requests.find(id))
        .set((
            dsl::status.eq(status),
            dsl::review_notes.eq(notes),
            dsl::reviewed_by.eq(reviewer),
            dsl::reviewed_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?;
    row.try_into()
}

/// Adds an entry to the timeline.
pub(super) async fn add_event(
    connection: &mut AsyncPgConnection,
    request: Uuid,
    event_type: &str,
    actor: Option<UserId>,
    details: Option<Value>,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(events::table)
        .values((
            events::id.eq(id::new()),
            events::request_id.eq(request),
            events::event_type.eq(event_type),
            events::actor_id.eq(actor),
            events::details.eq(details),
            events::created_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the timeline of a request, oldest first.
pub(super) async fn events(
    connection: &mut AsyncPgConnection,
    request: Uuid,
) -> Result<Vec<LimitRequestEvent>> {
    let rows: Vec<EventRow> = events::table
        .filter(events::request_id.eq(request))
        .order(events::id)
        .limit(MAX_EVENTS)
        .select(EventRow::as_select())
        .load(connection)
        .await?;
    let event = |row: EventRow| LimitRequestEvent {
        id: row.id,
        request_id: row.request_id,
        event_type: row.event_type,
        actor_id: row.actor_id,
        details: row.details.map(Json),
        created_at: row.created_at,
    };
    Ok(rows.into_iter().map(event).collect())
}

/// True when there is such a developer.
pub(super) async fn developer_exists(connection: &mut AsyncPgConnection, developer: Uuid) -> Result<bool> {
    let found = developer_profiles::table.find(developer);
    Ok(diesel::select(diesel::dsl::exists(found)).get_result(connection).await?)
}

/// Returns the person of a developer profile.
pub(super) async fn person_of(connection: &mut AsyncPgConnection, developer: Uuid) -> Result<UserId> {
    Ok(developer_profiles::table
        .find(developer)
        .select(developer_profiles::user_id)
        .first(connection)
        .await?)
}
