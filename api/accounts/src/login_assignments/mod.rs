//! Which of a member's login connections stands for them in the account, one a platform (specification A §2.8, §4.3).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Member},
};
use diesel_async::AsyncConnection;
use juniper::GraphQLObject;
use serde::Deserialize;
use serde_json::json;
use shared::{audit, catalogue::AccountPermission, id::UserId, platforms::Platform};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::members;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ACCOUNT_LOGIN_ASSIGNMENTS, &ASSIGN_LOGIN_CONNECTION, &REMOVE_LOGIN_ASSIGNMENT];

/// A login connection that stands for a member in the account.
#[derive(Debug, Clone, diesel::Queryable, GraphQLObject)]
pub struct GqlLoginAssignment {
    pub id: Uuid,
    pub account_id: Uuid,
    pub user_id: Uuid,
    pub login_connection_id: Uuid,
    /// The platform's slug.
    pub provider: String,
    pub created_at: Timestamp,
}

/// Whose login assignments.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoginAssignmentsQuery {
    /// One member's.
    pub user_id: Option<Uuid>,
}

/// Which login connection is to stand for whom.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct AssignLoginConnectionInput {
    /// One of the member's own.
    pub login_connection_id: Uuid,
    /// The slug of its platform.
    #[schema(example = "twitch", extensions(("enum" = json!(providers()))))]
    pub provider: String,
    /// The member; the caller when absent.
    pub user_id: Option<Uuid>,
}

/// Which login connections stand for the members of the account.
pub static ACCOUNT_LOGIN_ASSIGNMENTS: Operation<Member> =
    Operation::member("accountLoginAssignments", AccountPermission::LoginAssignmentsRead, Grants::Nothing)
        .or_own();

/// Lists which login connections stand for the members of the account, or for one of them. Whoever lacks the
/// permission sees their own.
///
/// # Errors
/// As the rule; 403 for another member without the permission.
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

/// Lets a login connection stand for a member.
pub static ASSIGN_LOGIN_CONNECTION: Operation<Member> = Operation::member(
    "assignLoginConnection",
    AccountPermission::LoginAssignmentsCreate,
    Grants::PlatformLogins,
)
.or_own();

/// Lets a login connection stand for a member in the account, in place of another of the same platform.
///
/// # Errors
/// As the rule; 403 for another member without the permission; 400 for an unknown provider and for one that is not the
/// connection's; 404 for somebody who is no member and for a connection that is not theirs.
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

/// Lets no login connection of a platform stand for a member any longer.
pub static REMOVE_LOGIN_ASSIGNMENT: Operation<Member> = Operation::member(
    "removeLoginAssignment",
    AccountPermission::LoginAssignmentsDelete,
    Grants::PlatformLogins,
)
.or_own();

/// Lets no login connection of a platform stand for a member any longer: the caller, unless the query names another.
///
/// # Errors
/// As the rule; 403 for another member without the permission; 400 for an unknown provider; 404 when none is assigned.
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

/// A platform that people sign in with, by its slug.
/// The platforms that people sign in with.
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
