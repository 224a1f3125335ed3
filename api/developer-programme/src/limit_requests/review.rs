//! Review of requests by operator staff (reference/developer-limits.md#review).

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result,
    access::{Admin, Grants},
    validate,
};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::limits::{self, LimitKey, LimitSubject};
use foundation::{
    audit::{self, Entry},
    invalidation::Invalidation,
};
use juniper::{GraphQLEnum, GraphQLInputObject};
use notices::notify::{self, Notice};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{catalogue::AdminPermission, id::UserId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{LimitRequest, LimitRequestEvent, LimitRequestQuery, LimitRequestStatus, db, not_found};

/// Maximum length of notes, in characters (reference/developer-limits.md#review).
const MAX_NOTES_LENGTH: usize = 2000;

/// Step of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitRequestAction {
    /// Raises the limit.
    Approve,
    /// Leaves the limit as it is; needs notes.
    Reject,
    /// Marks the request as in review. With notes, a request in review gets a comment.
    StartReview,
}

/// Step of a review with its notes.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "action": "approve" }))]
pub struct AdminReviewLimitRequestInput {
    /// Step.
    pub action: LimitRequestAction,
    /// 1 to 2,000 characters; required for `reject`. The developer reads them.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

pub static ADMIN_LIMIT_REQUESTS: Operation<Admin> =
    Operation::admin("adminLimitRequests", AdminPermission::DeveloperLimitsRead, Grants::Nothing);

/// Lists the requests of all developers for higher limits, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or a page out of bounds.
#[api_core::operation]
pub async fn admin_limit_requests(cx: &Cx, query: Input<LimitRequestQuery>) -> Result<Page<LimitRequest>> {
    let admin = cx.authorize(&ADMIN_LIMIT_REQUESTS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::page(&mut *admin.db().await?, None, query.status, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_DEVELOPER_LIMIT_REQUESTS: Operation<Admin> =
    Operation::admin("adminDeveloperLimitRequests", AdminPermission::DeveloperLimitsRead, Grants::Nothing);

/// Lists the requests of one developer for higher limits, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or a page out of bounds; 404 when there is no such
/// developer.
#[api_core::operation]
pub async fn admin_developer_limit_requests(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<LimitRequestQuery>,
) -> Result<Page<LimitRequest>> {
    let admin = cx.authorize(&ADMIN_DEVELOPER_LIMIT_REQUESTS).await?;
    let (id, query) = (id?, query?);
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let mut connection = admin.db().await?;
    if !db::developer_exists(&mut connection, id).await? {
        return Err(ApiError::not_found("Developer not found"));
    }
    let (items, total) = db::page(&mut connection, Some(id), query.status, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_LIMIT_REQUEST: Operation<Admin> =
    Operation::admin("adminLimitRequest", AdminPermission::DeveloperLimitsRead, Grants::Nothing);

/// Returns a request for a higher limit.
///
/// The first reading of an open request marks it as in review.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such request.
#[api_core::operation]
pub async fn admin_limit_request(cx: &Cx, id: Input<Uuid>) -> Result<LimitRequest> {
    let admin = cx.authorize(&ADMIN_LIMIT_REQUEST).await?;
    let id = id?;
    let mut connection = admin.db().await?;
    let request = db::find(&mut connection, id).await?.ok_or_else(not_found)?;
    if request.status != LimitRequestStatus::Open {
        return Ok(request);
    }
    connection
        .transaction(async |connection| {
            let request = db::find_locked(connection, id).await?.ok_or_else(not_found)?;
            if request.status != LimitRequestStatus::Open {
                return Ok(request);
            }
            start_review(cx, connection, &request, None).await
        })
        .await
}

pub static ADMIN_LIMIT_REQUEST_EVENTS: Operation<Admin> =
    Operation::admin("adminLimitRequestEvents", AdminPermission::DeveloperLimitsRead, Grants::Nothing);

/// Lists the timeline of a request, oldest first.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such request.
#[api_core::operation]
pub async fn admin_limit_request_events(cx: &Cx, id: Input<Uuid>) -> Result<Vec<LimitRequestEvent>> {
    let admin = cx.authorize(&ADMIN_LIMIT_REQUEST_EVENTS).await?;
    let id = id?;
    let mut connection = admin.db().await?;
    db::find(&mut connection, id).await?.ok_or_else(not_found)?;
    db::events(&mut connection, id).await
}

pub static ADMIN_REVIEW_LIMIT_REQUEST: Operation<Admin> =
    Operation::admin("adminReviewLimitRequest", AdminPermission::DeveloperLimitsEdit, Grants::Nothing);

/// Approves or rejects a request for a higher limit, or marks it as in review.
///
/// An approval sets the limit to the requested value, in force in every process within a second. It never
/// lowers a limit that is higher by now. The developer is notified of a decision.
///
/// # Errors
/// Refusals of the access rule; 400 for notes that are too long, and without notes for `reject`; 404 when
/// there is no such request; 409 when it was decided about.
#[api_core::operation]
pub async fn admin_review_limit_request(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminReviewLimitRequestInput>,
) -> Result<LimitRequest> {
    let admin = cx.authorize(&ADMIN_REVIEW_LIMIT_REQUEST).await?;
    let (id, input) = (id?, input?);
    let notes = checked_notes(&input)?;
    let mut connection = admin.db().await?;
    let reviewed = connection
        .transaction(async |connection| {
            let request = db::find_locked(connection, id).await?.ok_or_else(not_found)?;
            if request.status.is_decided() {
                return Err(ApiError::conflict("Limit request was decided about already"));
            }
            match input.action {
                LimitRequestAction::StartReview => start_review(cx, connection, &request, notes).await,
                LimitRequestAction::Approve => {
                    raise(connection, &request, cx.state().clock.now()).await?;
                    decide(cx, connection, &request, LimitRequestStatus::Approved, notes).await
                }
                LimitRequestAction::Reject => {
                    decide(cx, connection, &request, LimitRequestStatus::Rejected, notes).await
                }
            }
        })
        .await?;
    drop(connection);
    if reviewed.status == LimitRequestStatus::Approved {
        cx.changed(Invalidation::Limits).await;
    }
    Ok(reviewed)
}

fn checked_notes(input: &AdminReviewLimitRequestInput) -> Result<Option<String>> {
    let notes = input.notes.as_deref().filter(|notes| !notes.trim().is_empty());
    if notes.is_none() && input.action == LimitRequestAction::Reject {
        return Err(ApiError::invalid("Review notes are required"));
    }
    notes.map(|notes| validate::long_text("notes", notes, 1, MAX_NOTES_LENGTH)).transpose()
}

/// Marks an open request as in review. Adds the notes to one in review as a comment.
async fn start_review(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    request: &LimitRequest,
    notes: Option<String>,
) -> Result<LimitRequest> {
    let (now, actor) = (cx.state().clock.now(), cx.actor().user().map(UserId));
    let is_open = request.status == LimitRequestStatus::Open;
    if !is_open && notes.is_none() {
        return Ok(request.clone());
    }
    let (event, action) = match is_open {
        true => ("in_review", "limit_request:review_started"),
        false => ("comment", "limit_request:commented"),
    };
    let details = notes.map(|notes| json!({ "notes": notes }));
    db::add_event(connection, request.id, event, actor, details, now).await?;
    record(cx, connection, action, request).await?;
    db::start_review(connection, request.id, now).await
}

/// Stores the decision, and notifies the developer.
async fn decide(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    request: &LimitRequest,
    status: LimitRequestStatus,
    notes: Option<String>,
) -> Result<LimitRequest> {
    let (now, actor) = (cx.state().clock.now(), cx.actor().user().map(UserId));
    let (event, action) = match status {
        LimitRequestStatus::Approved => ("approved", "limit_request:approved"),
        _ => ("rejected", "limit_request:rejected"),
    };
    let decided = db::decide(connection, request.id, event, notes.as_deref(), actor, now).await?;
    let details = json!({ "notes": notes, "value": request.requested_value.0 });
    db::add_event(connection, request.id, event, actor, Some(details), now).await?;
    record(cx, connection, action, request).await?;
    let developer = db::person_of(connection, request.developer_id).await?;
    let notice = Notice::LimitRequest {
        request_id: request.id,
        limit_key: &request.limit_key,
        label: key_of(request)?.definition().label,
        decision: event,
        requested_value: request.requested_value.0,
        notes: notes.as_deref(),
    };
    notify::notify(connection, &[developer], &notice, now).await?;
    Ok(decided)
}

/// Raises the limit of a request. A limit that is higher by now stays.
async fn raise(connection: &mut AsyncPgConnection, request: &LimitRequest, now: DateTime<Utc>) -> Result<()> {
    let (key, requested) = (key_of(request)?, request.requested_value.0);
    let (subject, present) = match request.extension_id {
        Some(id) => (LimitSubject::Extension(id), limits::of_extension(connection, id, key).await?),
        None => {
            let id = request.developer_id;
            (LimitSubject::Developer(id), limits::of_developer(connection, id, key).await?)
        }
    };
    if requested > present {
        limits::set_override(connection, subject, key, requested, now).await?;
    }
    Ok(())
}

fn key_of(request: &LimitRequest) -> Result<LimitKey> {
    let unknown = |()| ApiError::internal("a limit request has a key that is not known");
    request.limit_key.parse().map_err(unknown)
}

async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    request: &LimitRequest,
) -> Result<()> {
    let metadata: Value = json!({
        "developer_id": request.developer_id, "extension_id": request.extension_id,
        "limit_key": request.limit_key, "requested_value": request.requested_value,
    });
    let entry = cx.audit_system(action, "limit_request", request.id);
    Ok(audit::record(connection, Entry { metadata, ..entry }).await?)
}
