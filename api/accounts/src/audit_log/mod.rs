//! Reading of the audit log: of the own account, and by staff of any
//! (reference/accounts.md#reading-the-audit-log).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, CursorPage, CursorRequest, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, Admin, AnyOperation, Grants},
    graphql::Json,
    validate,
};
use chrono::{DateTime, Utc};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::catalogue::{AccountPermission, AdminPermission, Feature};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&AUDIT_LOG, &ADMIN_AUDIT];

const MAX_NAME_LENGTH: usize = 100;

/// A change and its actor.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AuditEntry {
    /// Id of the entry.
    pub id: Uuid,
    /// Account that the entry belongs to; null when it belongs to none.
    pub account_id: Option<Uuid>,
    /// Caller who made the change.
    pub actor: AuditActor,
    /// Action as `area:verb`, for example `extension:installed`.
    pub action: String,
    /// Kind of the changed object, for example `membership`.
    pub resource_type: String,
    /// Id of the changed object; null when it has none.
    pub resource_id: Option<String>,
    /// Details of the action, without secrets.
    pub metadata: Json,
    /// Address of the caller, truncated to /24 or /48; null when unknown.
    pub ip: Option<String>,
    /// Time of the change.
    pub created_at: Timestamp,
}

/// Actor of a change.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AuditActor {
    /// Kind of the actor.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: AuditActorType,
    /// Id of the user, service key, install or automation; null for the system.
    pub id: Option<Uuid>,
    /// Name of the actor; null for the system and for an actor that no longer exists.
    pub display_name: Option<String>,
}

/// Kind of the actor of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditActorType {
    /// A person.
    User,
    /// A service key of the account.
    ServiceKey,
    /// The service itself, by a job or at the command line.
    System,
    /// An install of an extension.
    Extension,
    /// An automation of the account.
    Automation,
}

/// Scope of an audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditScope {
    /// Entries that belong to no account or person.
    System,
    /// Entries of accounts.
    Account,
    /// Entries of people.
    User,
}

/// Filter and page of the account's audit log.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct AuditLogFilter {
    /// Exact action, for example `extension:installed`.
    pub action: Option<String>,
    /// Id of the actor.
    pub actor_id: Option<Uuid>,
    /// Exact kind of the changed object.
    pub resource_type: Option<String>,
    /// Inclusive start, in RFC 3339.
    pub from: Option<String>,
    /// Exclusive end, in RFC 3339.
    pub to: Option<String>,
    /// Number of the page, from 1; absent: 1. Not with `cursor`.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// Entries of a page, 1 to 100; absent: 25.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
    /// Cursor of the page before, from its `Link` or `nextCursor`.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

/// Filter and page of an audit log.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct AdminAuditFilter {
    /// Scope of the entries. Absent: every scope that the caller may read, or `account` when an account is
    /// named.
    #[param(inline)]
    pub scope: Option<AuditScope>,
    /// Exact action, for example `plan:updated`.
    pub action: Option<String>,
    /// Id of the actor.
    pub actor_id: Option<Uuid>,
    /// Account of the entries; only with the scope `account`.
    pub account_id: Option<Uuid>,
    /// Inclusive start, in RFC 3339.
    pub from: Option<String>,
    /// Exclusive end, in RFC 3339.
    pub to: Option<String>,
    /// Number of the page, from 1; absent: 1. Not with `cursor`.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// Entries of a page, 1 to 100; absent: 25.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
    /// Cursor of the page before, from its `Link` or `nextCursor`.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

pub static AUDIT_LOG: Operation<AccountCaller> =
    Operation::account("auditLog", AccountPermission::AuditLogRead, Grants::Nothing)
        .feature(Feature::AuditLog)
        .polled();

/// Lists one page of the account's audit log.
///
/// The newest entry comes first. Entries are kept for 365 days.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a filter or the page is malformed or out of bounds.
#[api_core::operation]
pub async fn audit_log(cx: &Cx, filter: Input<AuditLogFilter>) -> Result<CursorPage<AuditEntry>> {
    let caller = cx.authorize(&AUDIT_LOG).await?;
    let filter = filter?;
    let wanted = db::AuditFilter {
        scopes: &[AuditScope::Account],
        account: Some(caller.account.uuid()),
        action: name("action", filter.action)?,
        actor: filter.actor_id,
        resource_type: name("resource_type", filter.resource_type)?,
        from: time("from", filter.from)?,
        to: time("to", filter.to)?,
    };
    let part = CursorRequest::new(filter.page, filter.limit, filter.cursor).check(cx, &AUDIT_LOG, &wanted)?;
    db::page(&mut *caller.db().await?, &wanted, part).await
}

pub static ADMIN_AUDIT: Operation<Admin> = Operation::admin_any(
    "adminAudit",
    &[AdminPermission::AuditRead, AdminPermission::AuditLogRead],
    Grants::Nothing,
)
.polled();

/// Lists one page of the audit logs of the deployment.
///
/// The newest entry comes first. The scope `account` needs `audit-log:read`; the scopes `system` and `user`
/// need `audit:read`. Without a scope, the page has the entries of every scope that the caller may read.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a filter or the page is malformed or out of bounds, or `account_id` is given with another scope.
/// - 403: the caller lacks the permission of the scope.
#[api_core::operation]
pub async fn admin_audit(cx: &Cx, filter: Input<AdminAuditFilter>) -> Result<CursorPage<AuditEntry>> {
    let admin = cx.authorize(&ADMIN_AUDIT).await?;
    let filter = filter?;
    let asked = filter.scope.or(filter.account_id.map(|_| AuditScope::Account));
    let scopes = readable(cx, asked).await?;
    if asked.is_some_and(|scope| scope != AuditScope::Account) && filter.account_id.is_some() {
        return Err(ApiError::invalid("account_id is only for the scope account"));
    }
    let wanted = db::AuditFilter {
        scopes: &scopes,
        account: filter.account_id,
        action: name("action", filter.action)?,
        actor: filter.actor_id,
        resource_type: None,
        from: time("from", filter.from)?,
        to: time("to", filter.to)?,
    };
    let part =
        CursorRequest::new(filter.page, filter.limit, filter.cursor).check(cx, &ADMIN_AUDIT, &wanted)?;
    db::page(&mut *admin.db().await?, &wanted, part).await
}

/// The requested scope, or every one that the caller may read (reference/accounts.md#reading-the-audit-log).
///
/// # Errors
/// 403 when the caller lacks the permission of the scope.
async fn readable(cx: &Cx, asked: Option<AuditScope>) -> Result<Vec<AuditScope>> {
    if let Some(scope) = asked {
        cx.require_admin(scope.permission()).await?;
        return Ok(vec![scope]);
    }
    let held = cx.admin_permissions().await?;
    Ok(AuditScope::ALL.into_iter().filter(|scope| held.contains(scope.permission())).collect())
}

impl AuditScope {
    const ALL: [Self; 3] = [Self::System, Self::Account, Self::User];

    /// Text in the column.
    const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Account => "account",
            Self::User => "user",
        }
    }

    const fn permission(self) -> AdminPermission {
        match self {
            Self::Account => AdminPermission::AuditLogRead,
            Self::System | Self::User => AdminPermission::AuditRead,
        }
    }
}

fn name(field: &str, text: Option<String>) -> Result<Option<String>> {
    text.map(|text| validate::text(field, &text, 1, MAX_NAME_LENGTH)).transpose()
}

fn time(field: &str, text: Option<String>) -> Result<Option<DateTime<Utc>>> {
    text.map(|text| validate::timestamp(field, &text)).transpose()
}
