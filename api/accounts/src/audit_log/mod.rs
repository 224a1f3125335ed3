//! Reading the audit trail: an account its own, operator staff any (specification C §9, §14).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
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

/// Something that was changed, and who did it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AuditEntry {
    pub id: Uuid,
    /// Null for what belongs to no account.
    pub account_id: Option<Uuid>,
    pub actor: AuditActor,
    /// `area:verb`, for example `extension:installed`.
    pub action: String,
    pub resource_type: String,
    pub resource_id: Option<String>,
    /// What the action says about itself; never a secret.
    pub metadata: Json,
    /// Cut to /24 or /48.
    pub ip: Option<String>,
    pub created_at: Timestamp,
}

/// Who changed something.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AuditActor {
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: AuditActorType,
    /// Null for the system.
    pub id: Option<Uuid>,
    /// Null when there is no such user, key or extension any longer.
    pub display_name: Option<String>,
}

/// What somebody is who changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditActorType {
    User,
    ServiceKey,
    System,
    Extension,
}

/// Whose trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditScope {
    /// Of what belongs to no account.
    System,
    /// Of accounts.
    Account,
    /// Of people.
    User,
}

/// Which entries of the account's trail, and which page of them.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct AuditLogFilter {
    pub action: Option<String>,
    pub actor_id: Option<Uuid>,
    pub resource_type: Option<String>,
    /// Not before this time.
    pub from: Option<String>,
    /// Before this time.
    pub to: Option<String>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
}

/// Which entries of which trail, and which page of them.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct AdminAuditFilter {
    /// Every trail that the caller may read when absent, or `account` when an account is named.
    #[param(inline)]
    pub scope: Option<AuditScope>,
    pub action: Option<String>,
    pub actor_id: Option<Uuid>,
    /// Only with the scope `account`.
    pub account_id: Option<Uuid>,
    /// Not before this time.
    pub from: Option<String>,
    /// Before this time.
    pub to: Option<String>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
}

/// The account's audit trail.
pub static AUDIT_LOG: Operation<AccountCaller> =
    Operation::account("auditLog", AccountPermission::AuditLogRead, Grants::Nothing)
        .feature(Feature::AuditLog);

/// One page of the account's audit trail, newest first.
///
/// # Errors
/// As the rule; 400 for a wrong filter.
pub async fn audit_log(cx: &Cx, filter: Input<AuditLogFilter>) -> Result<Page<AuditEntry>> {
    let caller = cx.authorize(&AUDIT_LOG).await?;
    let filter = filter?;
    let window = page_request(filter.page, filter.limit).check()?;
    let wanted = db::Wanted {
        scopes: &[AuditScope::Account],
        account: Some(caller.account.0),
        action: name("action", filter.action)?,
        actor: filter.actor_id,
        resource_type: name("resource_type", filter.resource_type)?,
        from: time("from", filter.from)?,
        to: time("to", filter.to)?,
    };
    db::page(&mut *caller.db().await?, &wanted, window).await
}

/// Any audit trail.
pub static ADMIN_AUDIT: Operation<Admin> = Operation::admin_any(
    "adminAudit",
    &[AdminPermission::AuditRead, AdminPermission::AuditLogRead],
    Grants::Nothing,
);

/// One page of an audit trail, newest first. Trails of accounts need `audit-log:read`, the others `audit:read`.
///
/// # Errors
/// As the rule; 403 for a trail whose permission the caller lacks; 400 for a wrong filter.
pub async fn admin_audit(cx: &Cx, filter: Input<AdminAuditFilter>) -> Result<Page<AuditEntry>> {
    let admin = cx.authorize(&ADMIN_AUDIT).await?;
    let filter = filter?;
    let asked = filter.scope.or(filter.account_id.map(|_| AuditScope::Account));
    let scopes = readable(cx, asked).await?;
    if asked.is_some_and(|scope| scope != AuditScope::Account) && filter.account_id.is_some() {
        return Err(ApiError::invalid("account_id is only for the scope account"));
    }
    let window = page_request(filter.page, filter.limit).check()?;
    let wanted = db::Wanted {
        scopes: &scopes,
        account: filter.account_id,
        action: name("action", filter.action)?,
        actor: filter.actor_id,
        resource_type: None,
        from: time("from", filter.from)?,
        to: time("to", filter.to)?,
    };
    db::page(&mut *admin.db().await?, &wanted, window).await
}

/// The trail that is asked for, or every one that the caller may read (specification E, 9).
///
/// # Errors
/// 403 for a trail whose permission the caller lacks.
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

    const fn permission(self) -> AdminPermission {
        match self {
            Self::Account => AdminPermission::AuditLogRead,
            Self::System | Self::User => AdminPermission::AuditRead,
        }
    }
}

fn page_request(page: Option<i32>, limit: Option<i32>) -> PageRequest {
    PageRequest { page: page.map(i64::from), limit: limit.map(i64::from) }
}

fn name(field: &str, text: Option<String>) -> Result<Option<String>> {
    text.map(|text| validate::text(field, &text, 1, MAX_NAME_LENGTH)).transpose()
}

fn time(field: &str, text: Option<String>) -> Result<Option<DateTime<Utc>>> {
    text.map(|text| validate::timestamp(field, &text)).transpose()
}
