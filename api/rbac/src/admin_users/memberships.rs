//! Memberships added and removed by staff (reference/administration.md#memberships).

use account_model::accounts::{Added, add_member, end_membership};
use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{Admin, Grants, lock_account_rights},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, invalidation::Invalidation};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{
    catalogue::AdminPermission,
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AdminUserMembership, db};
use crate::{authority::Authority, people};

/// New membership of a person.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminAddUserMembershipInput {
    /// Identifier of the account.
    pub account_id: Uuid,
    /// Identifier of a role of the account, except the owner's.
    pub role_id: Uuid,
}

pub static ADMIN_ADD_USER_MEMBERSHIP: Operation<Admin> =
    Operation::admin("adminAddUserMembership", AdminPermission::UsersEdit, Grants::AccountPermissions)
        .idempotent();

/// Makes a person a member of an account.
///
/// The role may hold only permissions that the caller holds in that account. Staff that does not belong to
/// the account can give a role without permissions only. System Admins can give any role but the owner's.
///
/// # Errors
/// Refusals of the access rule; 400 for the owner's role; 403 for a role or a person with a permission that
/// the caller lacks; 404 when there is no such person, account or role; 409 when the person is a member
/// already; 403 `PLAN_LIMIT_REACHED` for one member too many.
#[api_core::operation]
pub async fn admin_add_user_membership(
    cx: &Cx,
    user: Input<Uuid>,
    input: Input<AdminAddUserMembershipInput>,
) -> Result<AdminUserMembership> {
    let admin = cx.authorize(&ADMIN_ADD_USER_MEMBERSHIP).await?;
    let (user, input, now) = (UserId(user?), input?, cx.state().clock.now());
    let account = admin.account(input.account_id);
    let membership = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            lock_account_rights(connection, account).await?;
            people::lock_user(connection, user).await?;
            people::lock_account(connection, account).await?;
            let role = db::role(connection, account, input.role_id).await?;
            let role = role.ok_or_else(|| ApiError::not_found("Role not found"))?;
            if role.is_owners {
                return Err(ApiError::invalid("The Owner role cannot be assigned"));
            }
            authority.must_hold_in(connection, account, &role.permissions).await?;
            authority.must_reach(connection, user).await?;
            let membership_id = match add_member(connection, account, user, input.role_id, now).await? {
                Added::Member { membership_id } => membership_id,
                Added::AlreadyMember => return Err(ApiError::conflict("User is already a member")),
                Added::Full => {
                    return Err(ApiError::new(Code::PlanLimitReached, "Member limit reached"));
                }
            };
            let mut entry = entry(cx, "member:joined", account, membership_id);
            entry.metadata = json!({ "user_id": user, "role_id": input.role_id });
            audit::record(connection, entry).await?;
            db::memberships_of(connection, user, Some(membership_id)).await?.pop().ok_or_else(not_found)
        })
        .await?;
    cx.changed(Invalidation::Member { account_id: account.uuid(), user_id: user.0 }).await;
    Ok(membership)
}

pub static ADMIN_REMOVE_USER_MEMBERSHIP: Operation<Admin> =
    Operation::admin("adminRemoveUserMembership", AdminPermission::UsersEdit, Grants::AccountPermissions);

/// Ends a person's membership of an account, with everything that the person has through it.
///
/// # Errors
/// Refusals of the access rule; 403 for a role or a person with a permission that the caller lacks; 404 when
/// the person has no such membership; 409 for the owner of the account.
#[api_core::operation]
pub async fn admin_remove_user_membership(cx: &Cx, user: Input<Uuid>, membership: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_REMOVE_USER_MEMBERSHIP).await?;
    let (user, membership, now) = (UserId(user?), membership?, cx.state().clock.now());
    let ended = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let account = admin.account(find(connection, user, membership).await?.account_id);
            lock_account_rights(connection, account).await?;
            // Read again, because the role may have changed before the lock.
            let held = find(connection, user, membership).await?;
            if !held.is_owner {
                let role = db::role(connection, account, held.role_id).await?.ok_or_else(not_found)?;
                authority.must_hold_in(connection, account, &role.permissions).await?;
                authority.must_reach(connection, user).await?;
            }
            let Some(ended) = end_membership(connection, account, user, now).await? else {
                return Err(ApiError::conflict("The account owner cannot be removed"));
            };
            let mut entry = entry(cx, "member:removed", account, membership);
            entry.metadata = json!({ "user_id": user });
            audit::record(connection, entry).await?;
            Ok(ended)
        })
        .await?;
    cx.changed(ended).await;
    Ok(())
}

/// Returns a membership of the person.
async fn find(
    connection: &mut AsyncPgConnection,
    user: UserId,
    membership: Uuid,
) -> Result<AdminUserMembership> {
    db::memberships_of(connection, user, Some(membership)).await?.pop().ok_or_else(not_found)
}

/// Makes an audit entry of the account, whose members can read it.
pub(super) fn entry<'a>(cx: &Cx, action: &'a str, account: AccountId, membership: Uuid) -> audit::Entry<'a> {
    audit::Entry {
        scope: audit::Scope::Account(account.uuid()),
        ..cx.audit(action, "membership", membership)
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Membership not found")
}
