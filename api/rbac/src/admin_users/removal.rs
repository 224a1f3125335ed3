//! Removal of a person's login connection, or of the person (reference/administration.md#deletion-of-a-user).

use account_model::accounts::{end_account, end_membership};
use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, Grants},
};
use connection_access::revoke_every_connection;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, invalidation::Invalidation};
use serde_json::json;
use shared::{catalogue::AdminPermission, id::UserId};
use sign_in::login_connections::{disconnect_every_login, disconnect_login};
use uuid::Uuid;

use super::{db, memberships::entry};
use crate::{
    authority::{Authority, is_system_admin, must_have_a_system_admin},
    people,
};

pub static ADMIN_DISCONNECT_USER_LOGIN: Operation<Admin> =
    Operation::admin("adminDisconnectUserLogin", AdminPermission::UsersEdit, Grants::SignIn);

/// Removes a login connection of a person.
///
/// Sessions that were opened through it end. Its tokens are revoked at the platform afterwards, best effort
/// (reference/administration.md#login-connections-of-a-user).
///
/// # Errors
/// Refusals of the access rule; 403 for a person who holds a staff permission that the caller lacks; 404 when
/// there is no such person or the person has no such connection; 409 for the last connection, and for the
/// primary connection of an account.
#[api_core::operation]
pub async fn admin_disconnect_user_login(cx: &Cx, user: Input<Uuid>, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DISCONNECT_USER_LOGIN).await?;
    let (user, id) = (UserId(user?), id?);
    let removed = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            people::find(connection, user).await?;
            authority.must_reach(connection, user).await?;
            let removed = disconnect_login(cx, connection, user, id).await?;
            let mut entry = cx.audit_system("connection:disconnected", "login_connection", id);
            entry.metadata = json!({ "provider": removed.provider, "user_id": user });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(removed)
        })
        .await?;
    removed.announce(cx).await;
    Ok(())
}

pub static ADMIN_DELETE_USER: Operation<Admin> =
    Operation::admin("adminDeleteUser", AdminPermission::UsersDelete, Grants::People);

/// Deletes a person with the accounts that the person owns.
///
/// Memberships of other accounts and all sessions end. Login connections are revoked at the platforms. All
/// other data of the person is deleted too, except the audit log.
///
/// # Errors
/// Refusals of the access rule; 403 for a person who holds a staff permission that the caller lacks; 404 when
/// there is no such person; 409 for the caller, for the last System Admin, and for a developer who owns
/// extensions, because other accounts run those.
#[api_core::operation]
pub async fn admin_delete_user(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_USER).await?;
    let user = UserId(id?);
    let mut connection = admin.db().await?;
    let ended = connection.transaction(async |connection| delete(cx, connection, &admin, user).await).await;
    drop(connection);
    for change in ended? {
        cx.changed(change).await;
    }
    Ok(())
}

/// Deletes a person and returns the entries that every process has to forget.
async fn delete(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    admin: &Admin,
    user: UserId,
) -> Result<Vec<Invalidation>> {
    let authority = Authority::of(connection, admin).await?;
    if !db::lock(connection, user).await? {
        return Err(people::no_user());
    }
    if admin.user == user {
        return Err(ApiError::conflict("You cannot delete yourself"));
    }
    authority.must_reach(connection, user).await?;
    let was_system_admin = is_system_admin(connection, user).await?;
    let extensions = db::extensions_owned(connection, user).await?;
    if extensions > 0 {
        let message = format!("User still owns {extensions} extension(s). Transfer or delete them first.");
        return Err(ApiError::conflict(message));
    }
    let mut ended = Vec::new();
    let now = cx.state().clock.now();
    for (account, name) in db::accounts_owned(connection, user).await? {
        let mut entry = cx.audit_system("account:deleted", "account", account);
        entry.metadata = json!({ "name": name, "owner_id": user });
        audit::record(connection, entry).await?;
        revoke_every_connection(cx, connection, account).await?;
        ended.extend(end_account(connection, account, now).await?);
    }
    let mut memberships = db::memberships_of(connection, user, None).await?;
    // The commit locks the audit chains in the order of the entries (reference/audit-chain.md#links).
    memberships.sort_unstable_by_key(|membership| membership.account_id);
    for membership in memberships {
        let account = admin.account(membership.account_id);
        let Some(left) = end_membership(connection, account, user, now).await? else { continue };
        let mut entry = entry(cx, "member:removed", account, membership.membership_id);
        entry.metadata = json!({ "user_id": user });
        audit::record(connection, entry).await?;
        ended.push(left);
    }
    disconnect_every_login(cx, connection, user).await?;
    let sessions = db::delete(connection, user).await?;
    if was_system_admin {
        must_have_a_system_admin(connection).await?;
    }
    let mut entry = cx.audit_system("user:deleted", "user", user);
    entry.metadata = json!({ "ended_memberships": ended.len(), "ended_sessions": sessions.len() });
    audit::record(connection, entry).await?;
    ended.push(Invalidation::User { user_id: user.0 });
    ended.extend(sessions.into_iter().map(|id| Invalidation::Session { id }));
    Ok(ended)
}
