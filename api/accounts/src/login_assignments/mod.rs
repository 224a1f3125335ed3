//! Login assignments: the login connection through which a member writes in the account, one for each
//! platform (reference/accounts.md#login-assignments).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Member},
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::GraphQLObject;
use serde::Deserialize;
use serde_json::json;
use shared::{catalogue::AccountPermission, id::UserId, platform::Platform};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::members;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ACCOUNT_LOGIN_ASSIGNMENTS, &ASSIGN_LOGIN_CONNECTION, &REMOVE_LOGIN_ASSIGNMENT];

/// Login connection through which a member writes in the account.
#[derive(Debug, Clone, diesel::Queryable, GraphQLObject)]
pub struct GqlLoginAssignment {
    /// Id of the assignment.
    pub id: Uuid,
    /// Account of the assignment.
    pub account_id: Uuid,
    /// Member who writes through the login connection.
    pub user_id: Uuid,
    /// Assigned login connection.
    pub login_connection_id: Uuid,
    /// Slug of the platform.
    pub provider: String,
    /// Time of the assignment.
    pub created_at: Timestamp,
}

/// Member that a call concerns.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoginAssignmentsQuery {
    /// Id of the member.
    pub user_id: Option<Uuid>,
}

/// A login connection to assign.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct AssignLoginConnectionInput {
    /// Login connection of the member.
    pub login_connection_id: Uuid,
    /// Slug of the platform of the login connection.
    #[schema(example = "twitch", extensions(("enum" = json!(providers()))))]
    pub provider: String,
    /// Member to assign it to; absent: the caller.
    pub user_id: Option<Uuid>,
}

pub static ACCOUNT_LOGIN_ASSIGNMENTS: Operation<Member> =
    Operation::member("accountLoginAssignments", AccountPermission::LoginAssignmentsRead, Grants::Nothing)
        .or_own();

/// Lists the login assignments of the account, or of one member.
///
/// Callers without `login-assignments:read` see their own only.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403: another member is named and the caller lacks `login-assignments:read`.
#[api_core::operation]
pub async fn account_login_assignments(
    cx: &Cx,
    query: Input<LoginAssignmentsQuery>,
) -> Result<Vec<GqlLoginAssignment>> {
    let member = cx.authorize(&ACCOUNT_LOGIN_ASSIGNMENTS).await?;
    let asked = query?.user_id.map(UserId);
    let may_see_all = member.permissions.contains(AccountPermission::LoginAssignmentsRead);
    let user = asked.or_else(|| (!may_see_all).then_some(member.user));
    if user.is_some_and(|user| user != member.user) {
        cx.require(AccountPermission::LoginAssignmentsRead).await?;
    }
    db::list(&mut *member.db().await?, member.account, user).await
}

pub static ASSIGN_LOGIN_CONNECTION: Operation<Member> = Operation::member(
    "assignLoginConnection",
    AccountPermission::LoginAssignmentsCreate,
    Grants::PlatformLogins,
)
.or_own()
.idempotent();

/// Assigns a login connection to a member of the account.
///
/// The member writes on the platform through it. It replaces the assignment of the same platform. Members
/// need no permission for their own.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the provider is unknown, or is not the platform of the login connection.
/// - 403: another member is named and the caller lacks `login-assignments:create`.
/// - 404: the person is not a member, or the login connection belongs to another person.
#[api_core::operation]
pub async fn assign_login_connection(
    cx: &Cx,
    input: Input<AssignLoginConnectionInput>,
) -> Result<GqlLoginAssignment> {
    let member = cx.authorize(&ASSIGN_LOGIN_CONNECTION).await?;
    let input = input?;
    let user = input.user_id.map_or(member.user, UserId);
    if user != member.user {
        cx.require(AccountPermission::LoginAssignmentsCreate).await?;
    }
    let provider = provider(&input.provider)?;
    member
        .db()
        .await?
        .transaction(async |connection| {
            if !members::is_member(connection, member.account, user).await? {
                return Err(ApiError::not_found("Member not found"));
            }
            let platform = db::platform_of(connection, user, input.login_connection_id).await?;
            let platform = platform.ok_or_else(|| ApiError::not_found("Login connection not found"))?;
            if platform != provider.slug() {
                return Err(ApiError::invalid(format!(
                    "provider must be that of the login connection: {platform}"
                )));
            }
            let now = cx.state().clock.now();
            let (account, login_connection) = (member.account, input.login_connection_id);
            let assigned = db::assign(connection, account, user, login_connection, &platform, now).await?;
            let entry = audit::Entry {
                metadata: json!({ "user_id": user, "provider": platform, "login_connection_id": login_connection }),
                ..cx.audit("login_assignment:assigned", "login_assignment", assigned.id)
            };
            audit::record(connection, entry).await?;
            Ok(assigned)
        })
        .await
}

pub static REMOVE_LOGIN_ASSIGNMENT: Operation<Member> = Operation::member(
    "removeLoginAssignment",
    AccountPermission::LoginAssignmentsDelete,
    Grants::PlatformLogins,
)
.or_own();

/// Removes the login assignment of a member for a platform.
///
/// Without `user_id` it is the caller's own, for which members need no permission. The login connection
/// itself stays.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the provider is unknown.
/// - 403: another member is named and the caller lacks `login-assignments:delete`.
/// - 404: no login connection is assigned.
#[api_core::operation]
pub async fn remove_login_assignment(
    cx: &Cx,
    named: &str,
    query: Input<LoginAssignmentsQuery>,
) -> Result<()> {
    let member = cx.authorize(&REMOVE_LOGIN_ASSIGNMENT).await?;
    let user = query?.user_id.map_or(member.user, UserId);
    if user != member.user {
        cx.require(AccountPermission::LoginAssignmentsDelete).await?;
    }
    let provider = provider(named)?;
    member
        .db()
        .await?
        .transaction(async |connection| {
            let removed = db::remove(connection, member.account, user, provider.slug()).await?;
            let removed = removed.ok_or_else(|| ApiError::not_found("Login assignment not found"))?;
            let entry = audit::Entry {
                metadata: json!({ "user_id": user, "provider": provider.slug() }),
                ..cx.audit("login_assignment:removed", "login_assignment", removed)
            };
            Ok(audit::record(connection, entry).await?)
        })
        .await
}

/// Platforms that offer sign-in.
fn providers() -> Vec<Platform> {
    Platform::ALL.into_iter().filter(|platform| platform.login_provider().is_some()).collect()
}

fn provider(slug: &str) -> Result<Platform> {
    let known = providers();
    known.iter().copied().find(|platform| platform.slug() == slug).ok_or_else(|| {
        let allowed: Vec<&str> = known.iter().map(|platform| platform.slug()).collect();
        ApiError::invalid(format!("provider must be one of {}", allowed.join(", ")))
    })
}
