//! Members of the account (reference/accounts.md#members).

mod db;
pub mod graphql;
pub mod rest;
mod search;

use account_model::accounts::{MemberChange, end_membership, publish_member_change};
use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountAuthority, AccountCaller, AnyOperation, Grants},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, invalidation::Invalidation};
use juniper::GraphQLObject;
use membership::invites::MemberRole;
use serde::Serialize;
use serde_json::json;
use shared::{catalogue::AccountPermission, id::AccountId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::named::must_be;

pub use db::{FoundUser, FoundUserConnection};
pub(crate) use db::{Role, is_member};
pub use search::{SEARCH_USERS, SearchUsersQuery, search_users};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&MEMBERS, &UPDATE_MEMBER_ROLE, &REMOVE_MEMBER, &SEARCH_USERS];

/// A member of the account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Member {
    /// Id of the membership.
    pub membership_id: Uuid,
    /// Id of the person.
    pub user_id: Uuid,
    /// Display name of the person.
    pub display_name: String,
    /// E-mail address of the person. Null when there is none and for callers without `members:edit`.
    pub email: Option<String>,
    /// Address of the person's avatar; null when there is none.
    pub avatar_url: Option<String>,
    /// Role of the member.
    pub role: MemberRole,
    /// True for the owner of the account.
    pub is_owner: bool,
    /// Time at which the person joined.
    pub joined_at: Timestamp,
}

pub static MEMBERS: Operation<AccountCaller> =
    Operation::account("members", AccountPermission::MembersRead, Grants::Nothing).polled();

/// Lists the members of the account.
///
/// The oldest membership comes first. E-mail addresses are shown to callers with `members:edit` only.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: another account is named.
#[api_core::operation]
pub async fn members(cx: &Cx, named: Option<Input<Uuid>>) -> Result<Vec<Member>> {
    let caller = cx.authorize(&MEMBERS).await?;
    must_be(caller.account, named)?;
    let members = db::list(&mut *caller.db().await?, caller.account).await?;
    Ok(members.into_iter().map(|member| shown(member, &caller)).collect())
}

pub static UPDATE_MEMBER_ROLE: Operation<AccountCaller> =
    Operation::account("updateMemberRole", AccountPermission::MembersEdit, Grants::AccountPermissions);

/// Changes the role of a member.
///
/// The change takes effect in every process at once. The caller must hold every permission of the present
/// and of the new role; the owner of the account is exempt.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the role is the Owner role.
/// - 403: the present or the new role has a permission that the caller lacks.
/// - 404: another account is named, or it has no such member or role.
/// - 409: the member is the owner.
#[api_core::operation]
pub async fn update_member_role(
    cx: &Cx,
    named: Option<Input<Uuid>>,
    membership: Input<Uuid>,
    role_id: Input<Uuid>,
) -> Result<Member> {
    let caller = cx.authorize(&UPDATE_MEMBER_ROLE).await?;
    let (membership, role_id) = (membership?, role_id?);
    must_be(caller.account, named)?;
    let mut connection = caller.db().await?;
    let changed = connection
        .transaction(async |connection| change_role(cx, connection, &caller, membership, role_id).await)
        .await;
    drop(connection);
    let member: Member = changed?;
    cx.changed(Invalidation::Member { account_id: caller.account.uuid(), user_id: member.user_id }).await;
    Ok(shown(member, &caller))
}

pub static REMOVE_MEMBER: Operation<AccountCaller> =
    Operation::account("removeMember", AccountPermission::MembersDelete, Grants::AccountPermissions);

/// Removes a member from the account.
///
/// Keys, popout tokens, login assignments and invites of the member in the account end at once in every
/// process. Service keys that the member created keep working.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403: the member's role has a permission that the caller lacks.
/// - 404: another account is named, or it has no such member.
/// - 409: the member is the owner or the caller.
#[api_core::operation]
pub async fn remove_member(cx: &Cx, named: Option<Input<Uuid>>, membership: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REMOVE_MEMBER).await?;
    let membership = membership?;
    must_be(caller.account, named)?;
    let mut connection = caller.db().await?;
    let ended =
        connection.transaction(async |connection| remove(cx, connection, &caller, membership).await).await;
    drop(connection);
    cx.changed(ended?).await;
    Ok(())
}

/// Role that the caller may give: one of the account, not the Owner role, without a permission that the
/// caller lacks.
///
/// # Errors
/// 404 for an unknown role; 400 for the Owner role; 403 for a permission that the caller lacks.
pub(crate) async fn grantable_role(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    authority: &AccountAuthority,
    id: Uuid,
) -> Result<Role> {
    let role = db::role(connection, account, id).await?;
    let role = role.ok_or_else(|| ApiError::not_found("Role not found"))?;
    if role.is_owner() {
        return Err(ApiError::invalid("The Owner role cannot be assigned"));
    }
    authority.require_grantable(&role.permissions())?;
    Ok(role)
}

async fn change_role(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    membership: Uuid,
    role_id: Uuid,
) -> Result<Member> {
    let authority = caller.authority(connection).await?;
    let held = db::lock(connection, caller.account, membership).await?.ok_or_else(not_found)?;
    let role = grantable_role(connection, caller.account, &authority, role_id).await?;
    if held.is_owner {
        return Err(ApiError::conflict("The owner's role cannot be changed"));
    }
    authority.may_change(&held.permissions)?;
    if held.role_id != role.id {
        db::set_role(connection, caller.account, membership, role.id).await?;
        let entry = audit::Entry {
            metadata: json!({ "user_id": held.user, "from": held.role_id, "to": role.id }),
            ..cx.audit("member:role_changed", "membership", membership)
        };
        audit::record(connection, entry).await?;
        let (change, now) = (MemberChange::RoleChanged, cx.state().clock.now());
        publish_member_change(connection, caller.account, held.user, membership, change, now).await?;
    }
    db::find(connection, caller.account, membership).await?.ok_or_else(not_found)
}

async fn remove(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    membership: Uuid,
) -> Result<Invalidation> {
    let authority = caller.authority(connection).await?;
    let held = db::lock(connection, caller.account, membership).await?.ok_or_else(not_found)?;
    if held.is_owner {
        return Err(ApiError::conflict("The account owner cannot be removed"));
    }
    if cx.principal().people().contains(&Some(held.user)) {
        return Err(ApiError::conflict("You cannot remove yourself; leave the account instead"));
    }
    authority.may_change(&held.permissions)?;
    let entry = audit::Entry {
        metadata: json!({ "user_id": held.user, "role_id": held.role_id }),
        ..cx.audit("member:removed", "membership", membership)
    };
    audit::record(connection, entry).await?;
    let ended = end_membership(connection, caller.account, held.user, cx.state().clock.now()).await?;
    ended.ok_or_else(not_found)
}

fn shown(member: Member, caller: &AccountCaller) -> Member {
    let may_see_email = caller.permissions.contains(AccountPermission::MembersEdit);
    Member { email: member.email.filter(|_| may_see_email), ..member }
}

fn not_found() -> ApiError {
    ApiError::not_found("Member not found")
}
