//! Requests of developers for higher limits (reference/developer-limits.md#requests).

mod db;
pub mod graphql;
mod input;
pub mod rest;
pub mod review;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AnyOperation, Grants, Member},
    graphql::{Int64, Json},
};
use diesel_async::AsyncConnection;
use extension_model::limits;
use foundation::audit::{self, Entry};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{developers, limits::extension_not_found};
pub use input::{CreateLimitRequestInput, LimitRequestQuery};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &DEVELOPER_LIMIT_REQUESTS,
    &DEVELOPER_LIMIT_REQUEST,
    &CREATE_LIMIT_REQUEST,
    &DEVELOPER_LIMIT_REQUEST_EVENTS,
    &review::ADMIN_LIMIT_REQUESTS,
    &review::ADMIN_DEVELOPER_LIMIT_REQUESTS,
    &review::ADMIN_LIMIT_REQUEST,
    &review::ADMIN_REVIEW_LIMIT_REQUEST,
    &review::ADMIN_LIMIT_REQUEST_EVENTS,
];

/// Subject of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitRequestScope {
    /// The developer: the default of all their extensions.
    Developer,
    /// One extension.
    Extension,
}

/// Status of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitRequestStatus {
    /// No reviewer has read it.
    Open,
    /// A reviewer has read it.
    InReview,
    /// The limit was raised.
    Approved,
    /// The limit stays.
    Rejected,
}

/// Request for a higher limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct LimitRequest {
    /// Identifier.
    pub id: Uuid,
    /// Developer profile.
    pub developer_id: Uuid,
    /// Person who made the request; null when the person is gone.
    pub requested_by: Option<Uuid>,
    /// Subject.
    pub scope: LimitRequestScope,
    /// Extension; null for the scope `developer`.
    pub extension_id: Option<Uuid>,
    /// Key of the limit.
    pub limit_key: String,
    /// Value at the time of the request.
    pub current_value: Int64,
    /// Requested value.
    pub requested_value: Int64,
    /// Reason of the developer.
    pub reason: String,
    /// Status.
    pub status: LimitRequestStatus,
    /// Notes of the decision. Null: none.
    pub review_notes: Option<String>,
    /// Person who decided; null before a decision.
    pub reviewed_by: Option<Uuid>,
    /// Time of the decision; null before it.
    pub reviewed_at: Option<Timestamp>,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Entry of the timeline of a request.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct LimitRequestEvent {
    /// Identifier.
    pub id: Uuid,
    /// Request.
    pub request_id: Uuid,
    /// `created`, `in_review`, `approved`, `rejected` or `comment`.
    pub event_type: String,
    /// Person who acted; null when the person is gone.
    pub actor_id: Option<Uuid>,
    /// Details: `requested_value` of `created`, `notes` and `value` of a decision. Null: none.
    pub details: Option<Json>,
    /// Time of the event.
    pub created_at: Timestamp,
}

pub static DEVELOPER_LIMIT_REQUESTS: Operation<Member> =
    Operation::member("developerLimitRequests", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Lists the caller's requests for higher limits, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or a page out of bounds; 404 for a caller without a
/// developer profile.
#[api_core::operation]
pub async fn developer_limit_requests(
    cx: &Cx,
    query: Input<LimitRequestQuery>,
) -> Result<Page<LimitRequest>> {
    let member = cx.authorize(&DEVELOPER_LIMIT_REQUESTS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let mut connection = member.db().await?;
    let developer = developers::of_person(&mut connection, member.user).await?.id;
    let (items, total) = db::page(&mut connection, Some(developer), query.status, window).await?;
    Ok(Page { items, total, window })
}

pub static DEVELOPER_LIMIT_REQUEST: Operation<Member> =
    Operation::member("developerLimitRequest", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Returns one of the caller's requests for a higher limit.
///
/// # Errors
/// Refusals of the access rule; 404 when the caller has no such request.
#[api_core::operation]
pub async fn developer_limit_request(cx: &Cx, id: Input<Uuid>) -> Result<LimitRequest> {
    let member = cx.authorize(&DEVELOPER_LIMIT_REQUEST).await?;
    let id = id?;
    let request = db::find_own(&mut *member.db().await?, member.user, id).await?;
    request.ok_or_else(not_found)
}

pub static DEVELOPER_LIMIT_REQUEST_EVENTS: Operation<Member> =
    Operation::member("developerLimitRequestEvents", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Lists the timeline of one of the caller's requests, oldest first.
///
/// # Errors
/// Refusals of the access rule; 404 when the caller has no such request.
#[api_core::operation]
pub async fn developer_limit_request_events(cx: &Cx, id: Input<Uuid>) -> Result<Vec<LimitRequestEvent>> {
    let member = cx.authorize(&DEVELOPER_LIMIT_REQUEST_EVENTS).await?;
    let id = id?;
    let mut connection = member.db().await?;
    db::find_own(&mut connection, member.user, id).await?.ok_or_else(not_found)?;
    db::events(&mut connection, id).await
}

pub static CREATE_LIMIT_REQUEST: Operation<Member> =
    Operation::member("createLimitRequest", AccountPermission::ExtensionDevEdit, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .idempotent();

/// Requests a higher limit.
///
/// The limit stays as it is until a reviewer approves the request. The scope `extension` raises the limit of
/// one extension, the scope `developer` that of the developer and of all their extensions without a limit of
/// their own.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field, and for a value that is not above the current one;
/// 404 for a caller without a developer profile, and when the caller has no such extension; 409 when a
/// request for the same limit waits for its decision.
#[api_core::operation]
pub async fn create_limit_request(cx: &Cx, input: Input<CreateLimitRequestInput>) -> Result<LimitRequest> {
    let member = cx.authorize(&CREATE_LIMIT_REQUEST).await?;
    let (new, now) = (input?.check()?, cx.state().clock.now());
    let mut connection = member.db().await?;
    connection
        .transaction(async |connection| {
            let developer = developers::of_person(connection, member.user).await?.id;
            let current_value = match new.extension_id {
                Some(extension) => {
                    let owner =
                        developer_access::extensions::find(connection, Some(member.user), extension).await?;
                    if !owner.is_some_and(|owner| owner.is_caller) {
                        return Err(extension_not_found());
                    }
                    limits::of_extension(connection, extension, new.key).await?
                }
                None => limits::of_developer(connection, developer, new.key).await?,
            };
            if new.requested_value <= current_value {
                let message = format!("requested_value must be greater than {current_value}");
                return Err(ApiError::invalid(message));
            }
            let row = db::NewLimitRequest {
                id: shared::id::new(),
                developer_id: developer,
                requested_by: member.user,
                scope: new.scope.as_str(),
                extension_id: new.extension_id,
                limit_key: new.key.as_str(),
                current_value,
                requested_value: new.requested_value,
                reason: &new.reason,
                created_at: now,
                updated_at: now,
            };
            let request = db::insert(connection, &row)
                .await?
                .ok_or_else(|| ApiError::conflict("A request for this limit is already open"))?;
            let details = json!({ "requested_value": new.requested_value });
            db::add_event(connection, request.id, "created", Some(member.user), Some(details), now).await?;
            let metadata = json!({
                "scope": new.scope, "extension_id": new.extension_id, "limit_key": new.key.as_str(),
                "requested_value": new.requested_value,
            });
            let entry = cx.audit("limit_request:created", "limit_request", request.id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(request)
        })
        .await
}

fn not_found() -> ApiError {
    ApiError::not_found("Limit request not found")
}

impl LimitRequestScope {
    const ALL: [Self; 2] = [Self::Developer, Self::Extension];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Developer => "developer",
            Self::Extension => "extension",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

impl LimitRequestStatus {
    const ALL: [Self; 4] = [Self::Open, Self::InReview, Self::Approved, Self::Rejected];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::InReview => "in_review",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    const fn is_decided(self) -> bool {
        matches!(self, Self::Approved | Self::Rejected)
    }
}
