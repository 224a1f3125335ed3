//! Resolution of permissions: role, overrides and the scopes of the credential
//! (reference/permissions.md#resolution).

use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::{AccountPermission, Permission, PermissionSet, UserPermission},
    id::{AccountId, Trust, UserId},
    schema::{
        account_permission_overrides, account_roles, account_service_keys, accounts, admin_role_members,
        admin_roles, memberships, user_permission_overrides, user_role_assignments, user_roles, users,
    },
};
use uuid::Uuid;

use super::rights::{
    AccountCreationOverride, AccountScopes, AdminScopes, MemberAccess, Rights, UserAccess, UserScopes,
};
use crate::{Result, State};

/// Rights of a member: the role with the account's overrides applied; `None` for a non-member.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn member_access(
    state: &State,
    account: AccountId,
    user: UserId,
) -> Result<Option<Arc<MemberAccess>>> {
    let load = || async move {
        let member = load_member(&mut *state.databases.primary().await?, account, user).await?;
        Ok(member.map(Arc::new))
    };
    state.caches.members.get_or_load((account.uuid(), user.0), load).await
}

/// Account that a client named, when the person is a member of it; else `None`.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn named_account(state: &State, named: Uuid, user: UserId) -> Result<Option<AccountId>> {
    let account = AccountId::trusted(named, Trust::Membership);
    Ok(member_access(state, account, user).await?.map(|_| account))
}

/// Rights of a member, read past the cache, for a transaction that decides by them; `None` for a non-member.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn member_rights(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Option<Rights>> {
    Ok(load_member(connection, account, user).await?.map(|member| member.rights()))
}

/// Rights of a member with role, read past the cache; `None` for a non-member.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(super) async fn fresh_member_access(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Option<MemberAccess>> {
    load_member(connection, account, user).await
}

/// Rights of a service key, read past the cache; `None` when it is deleted or expired.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn service_key_rights(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    key: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Rights>> {
    use account_service_keys::dsl as t;
    let found: Option<(Vec<String>, Option<DateTime<Utc>>)> = t::account_service_keys
        .filter(t::id.eq(key).and(t::account_id.eq(account)))
        .select((t::permissions, t::expires_at))
        .first(connection)
        .await
        .optional()?;
    match found.filter(|(_, expires_at)| expires_at.is_none_or(|at| at > now)) {
        Some((scopes, _)) => {
            let denied = load_denials(connection, account).await?;
            Ok(Some(Rights::of(PermissionSet::from_strings(&scopes), &denied)))
        }
        None => Ok(None),
    }
}

/// Permissions that the account's overrides deny to every member and service key
/// (reference/permissions.md#account-permissions).
pub(super) async fn denied_permissions(state: &State, account: AccountId) -> Result<AccountScopes> {
    let load = || async move { load_denials(&mut *state.databases.primary().await?, account).await };
    state.caches.denials.get_or_load(account.uuid(), load).await
}

/// Admin-scope and user-scope permissions of a person.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn user_access(state: &State, user: UserId) -> Result<Arc<UserAccess>> {
    state.caches.users.get_or_load(user.0, || load_user(state, user)).await
}

/// Sources of the rights of a member, from which [`MemberAccess`] follows.
pub(super) struct MemberSources {
    /// Role of the member.
    pub role_id: Uuid,
    /// Slug of the role.
    pub role_slug: String,
    /// Permissions of the role.
    pub role: AccountScopes,
    /// Overrides of the account: permission, and true when it is granted.
    pub overrides: Vec<(String, bool)>,
    /// True for the owner of the account.
    pub is_owner: bool,
}

impl MemberSources {
    /// Rights that follow from the sources.
    pub fn access(self) -> MemberAccess {
        let permissions = overridden(self.role, &self.overrides);
        let withheld = self.role.iter().filter(|permission| !permissions.contains(*permission)).collect();
        let Self { role_id, role_slug, is_owner, .. } = self;
        MemberAccess { permissions, withheld, role_id, role_slug, is_owner }
    }

    /// Override of a permission; `None` when the role decides.
    pub fn override_of(&self, permission: AccountPermission) -> Option<bool> {
        override_of(&self.overrides, permission)
    }
}

async fn load_member(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Option<MemberAccess>> {
    Ok(member_sources(connection, account, user).await?.map(MemberSources::access))
}

/// Sources of the rights of a member, read past the cache; `None` for a non-member.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(super) async fn member_sources(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Option<MemberSources>> {
    let row: Option<(Uuid, String, Vec<String>, Uuid)> = memberships::table
        .inner_join(account_roles::table.on(account_roles::id.eq(memberships::role_id)))
        .inner_join(accounts::table)
        .filter(memberships::account_id.eq(account))
        .filter(memberships::user_id.eq(user))
        .select((account_roles::id, account_roles::slug, account_roles::permissions, accounts::owner_id))
        .first(connection)
        .await
        .optional()?;
    let Some((role_id, role_slug, permissions, owner_id)) = row else { return Ok(None) };
    let overrides: Vec<(String, bool)> = account_permission_overrides::table
        .filter(account_permission_overrides::account_id.eq(account))
        .select((account_permission_overrides::permission, account_permission_overrides::granted))
        .load(connection)
        .await?;
    let (role, is_owner) = (PermissionSet::from_strings(&permissions), owner_id == user.0);
    Ok(Some(MemberSources { role_id, role_slug, role, overrides, is_owner }))
}

/// Permissions that the account's overrides deny, read past the cache.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(super) async fn load_denials(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<AccountScopes> {
    use account_permission_overrides::dsl as t;
    let denied: Vec<String> = t::account_permission_overrides
        .filter(t::account_id.eq(account))
        .filter(t::granted.eq(false))
        .select(t::permission)
        .load(connection)
        .await?;
    Ok(PermissionSet::from_strings(&denied))
}

/// Permissions of a person as operator staff, read past the cache.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn admin_permissions(connection: &mut AsyncPgConnection, user: UserId) -> Result<AdminScopes> {
    let roles = admin_sources(connection, user).await?;
    Ok(PermissionSet::from_strings(roles.iter().flat_map(|(_, permissions)| permissions)))
}

/// Staff roles of a person, each with its name and permissions, read past the cache.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(super) async fn admin_sources(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Vec<(String, Vec<String>)>> {
    Ok(admin_role_members::table
        .inner_join(admin_roles::table)
        .filter(admin_role_members::user_id.eq(user))
        .order(admin_roles::name.asc())
        .select((admin_roles::name, admin_roles::permissions))
        .load(connection)
        .await?)
}

async fn load_user(state: &State, user: UserId) -> Result<Arc<UserAccess>> {
    let mut connection = state.databases.primary().await?;
    let admin = admin_permissions(&mut connection, user).await?;
    let (_, user_scopes) = effective_user_roles(&mut connection, user).await?;
    let account_creation: Option<String> = users::table
        .find(user)
        .select(users::account_creation_override)
        .first(&mut connection)
        .await
        .optional()?;
    Ok(Arc::new(UserAccess {
        account_creation: AccountCreationOverride::parse(account_creation.as_deref().unwrap_or_default()),
        admin,
        user: user_scopes,
    }))
}

/// Sources of the platform-wide permissions of a person.
pub(super) struct UserSources {
    /// Slugs and permissions of the roles.
    pub roles: Vec<(String, Vec<String>)>,
    /// Overrides of the person: permission, and true when it is granted.
    pub overrides: Vec<(String, bool)>,
}

impl UserSources {
    /// Override of a permission; `None` when the roles decide.
    pub fn override_of(&self, permission: UserPermission) -> Option<bool> {
        override_of(&self.overrides, permission)
    }
}

/// Slugs of a person's platform-wide roles, and the permissions of these roles with the person's overrides
/// applied (reference/permissions.md#platform-wide-permissions). Reads past the cache.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn effective_user_roles(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<(Vec<String>, UserScopes)> {
    let UserSources { roles, overrides } = user_sources(connection, user).await?;
    let (slugs, permissions): (Vec<String>, Vec<Vec<String>>) = roles.into_iter().unzip();
    Ok((slugs, overridden(PermissionSet::from_strings(permissions.iter().flatten()), &overrides)))
}

/// Sources of the platform-wide permissions of a person, read past the cache.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(super) async fn user_sources(connection: &mut AsyncPgConnection, user: UserId) -> Result<UserSources> {
    let assigned: Vec<(String, Vec<String>)> = user_role_assignments::table
        .inner_join(user_roles::table)
        .filter(user_role_assignments::user_id.eq(user))
        .order(user_roles::slug.asc())
        .select((user_roles::slug, user_roles::permissions))
        .load(connection)
        .await?;
    // Only a person without any assignment has the default role: an assigned empty role grants nothing.
    let roles = if assigned.is_empty() {
        user_roles::table
            .filter(user_roles::is_default)
            .select((user_roles::slug, user_roles::permissions))
            .load(connection)
            .await?
    } else {
        assigned
    };
    let overrides: Vec<(String, bool)> = user_permission_overrides::table
        .filter(user_permission_overrides::user_id.eq(user))
        .select((user_permission_overrides::permission, user_permission_overrides::granted))
        .load(connection)
        .await?;
    Ok(UserSources { roles, overrides })
}

/// Override of a permission among stored ones; `None` when there is none.
fn override_of<P: Permission>(overrides: &[(String, bool)], permission: P) -> Option<bool> {
    overrides.iter().find(|(text, _)| text == permission.as_str()).map(|(_, granted)| *granted)
}

/// Set with grants inserted and denials removed.
fn overridden<P: Permission>(mut set: PermissionSet<P>, overrides: &[(String, bool)]) -> PermissionSet<P> {
    for (text, granted) in overrides {
        match P::parse(text) {
            Some(permission) if *granted => set.insert(permission),
            Some(permission) => set.remove(permission),
            None => {}
        }
    }
    set
}
