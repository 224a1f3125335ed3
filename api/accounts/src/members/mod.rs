//! Members of the account and the people who may become some (specification A §4.3; C §4).

mod db;
pub mod graphql;
pub mod rest;
mod search;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountAuthority, AccountCaller, AnyOperation, Grants},
    invites::MemberRole,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::{
    accounts::{MemberChange, end_membership, tell_of_member},
    audit,
    catalogue::AccountPermission,
    id::AccountId,
    invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::named::must_be;

pub(crate) use db::{Role, is_member};
pub use search::{FoundUser, FoundUserConnection, SEARCH_USERS, SearchUsersQuery, search_users};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&MEMBERS, &UPDATE_MEMBER_ROLE, &REMOVE_MEMBER, &SEARCH_USERS];

/// Somebody who belongs to the account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Member {
    pub membership_id: Uuid,
    pub user_id: Uuid,
    pub display_name: String,
    /// Only for callers with `members:edit`.
    pub email: Option<String>,
    pub avatar_url: Option<String>,
    pub role: MemberRole,
    pub is_owner: bool,
    pub joined_at: Timestamp,
}

/// Who belongs to the account.
pub static MEMBERS: Operation<AccountCaller> =
    Operation::account("members", AccountPermission::MembersRead, Grants::Nothing);

/// Lists who belongs to the account, those first who joined first.
///
/// # Errors
/// As the rule; 404 for another account.
pub async fn members(cx: &Cx, named: Option<Input<Uuid>>) -> Result<Vec<Member>> {
    let caller = cx.authorize(&MEMBERS).await?;
    must_be(caller.account, named)?;
    let members = db::list(&mut *caller.db().await?, caller.account).await?;
    Ok(members.into_iter().map(|member| shown(member, &caller)).collect())
}

/// Gives a member another role.
pub static UPDATE_MEMBER_ROLE: Operation<AccountCaller> =
    Operation::account("updateMemberRole", AccountPermission::MembersEdit, Grants::AccountPermissions);

/// Gives a member another role. It holds in every process at once.
///
/// # Errors
/// As the rule; 404 for another account, member or role; 400 for the Owner role; 403 when the new role holds more than
/// the caller, or the present one does; 409 for the owner.
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
    cx.changed(Invalidation::Member { account_id: caller.account.0, user_id: member.user_id }).await;
    Ok(shown(member, &caller))
}

/// Ends somebody's membership.
pub static REMOVE_MEMBER: Operation<AccountCaller> =
    Operation::account("removeMember", AccountPermission::MembersDelete, Grants::AccountPermissions);

/// Ends somebody's membership with everything that they have through it: nothing of theirs is good any longer, in any
/// process.
///
/// # Errors
/// As the rule; 403 for a member who may do more than the caller; 404 for another account or member; 409 for the owner
/// and for oneself.
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

/// A role that the caller may hand on: one of the account, not the Owner's, and with nothing that the caller lacks.
///
/// # Errors
/// 404 for another role; 400 for the Owner role; 403 for one that holds more than the caller.
pub(crate) async fn role_to_hand_on(
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
    authority.may_hand_on(&role.permissions())?;
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
    let held = db::hold(connection, caller.account, membership).await?.ok_or_else(not_found)?;
    let role = role_to_hand_on(connection, caller.account, &authority, role_id).await?;
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
        tell_of_member(connection, caller.account, held.user, membership, change, now).await?;
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
    let held = db::hold(connection, caller.account, membership).await?.ok_or_else(not_found)?;
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
