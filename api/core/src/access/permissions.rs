//! Resolving permissions: role, overrides and the limits of the credential (specification A §5.2, rules 3 to 5).

use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, AdminPermission, Permission, PermissionSet, UserPermission},
    db::schema::{
        account_permission_overrides, account_roles, account_service_keys, accounts, admin_role_members,
        admin_roles, memberships, user_permission_overrides, user_role_assignments, user_roles, users,
    },
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::rights::missing;
use crate::{Result, State};

/// Account permissions.
pub type AccountScopes = PermissionSet<AccountPermission>;
/// Permissions of operator staff.
pub type AdminScopes = PermissionSet<AdminPermission>;
/// Platform-wide permissions of a person.
pub type UserScopes = PermissionSet<UserPermission>;

/// What somebody may do in an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    pub permissions: AccountScopes,
    /// What the role or the key holds and the account's overrides deny at present. Nobody may use it, but whoever
    /// gets such a role gains it when the override is lifted, so it counts where roles are handed on.
    pub withheld: AccountScopes,
}

/// What a member may do in an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberAccess {
    pub permissions: AccountScopes,
    /// As of [`Rights`].
    pub withheld: AccountScopes,
    pub role_id: Uuid,
    pub role_slug: String,
    pub is_owner: bool,
}

/// What a person may do beyond accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserAccess {
    pub admin: AdminScopes,
    pub user: UserScopes,
    pub account_creation: AccountCreationOverride,
}

/// Whether a person may create accounts whatever the global switch says (A §2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AccountCreationOverride {
    /// As the global switch says.
    #[default]
    Default,
    /// Always allowed.
    Allow,
    /// Always blocked.
    Deny,
}

impl Rights {
    /// No rights at all.
    pub const NONE: Self = Self { permissions: PermissionSet::empty(), withheld: PermissionSet::empty() };

    /// Of a role or key that holds `held` in an account that denies `denied`.
    pub(super) fn of(held: AccountScopes, denied: &AccountScopes) -> Self {
        let withheld = held.intersection(denied);
        Self { permissions: held.iter().filter(|held| !withheld.contains(*held)).collect(), withheld }
    }

    /// Whether everything in `asked` is held, or is withheld at present.
    ///
    /// # Errors
    /// 403 that names what is lacking.
    pub fn must_cover(&self, asked: &AccountScopes) -> Result<()> {
        let covered =
            |permission| self.permissions.contains(permission) || self.withheld.contains(permission);
        match asked.iter().find(|permission| !covered(*permission)) {
            None => Ok(()),
            Some(lacking) => Err(missing(lacking.text())),
        }
    }

    /// What of them is left within `bounds`.
    pub(super) fn within(&self, bounds: &AccountScopes) -> Self {
        Self {
            permissions: self.permissions.intersection(bounds),
            withheld: self.withheld.intersection(bounds),
        }
    }

    /// What both may do.
    pub(super) fn shared_with(&self, other: &Self) -> Self {
        let union: AccountScopes = other.permissions.iter().chain(other.withheld.iter()).collect();
        Self {
            permissions: self.permissions.intersection(&other.permissions),
            withheld: self.withheld.intersection(&union),
        }
    }
}

impl MemberAccess {
    pub(super) const fn rights(&self) -> Rights {
        Rights { permissions: self.permissions, withheld: self.withheld }
    }
}

impl AccountCreationOverride {
    /// The stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }

    /// What a stored text means.
    #[must_use]
    pub fn parse(stored: &str) -> Self {
        match stored {
            "allow" => Self::Allow,
            "deny" => Self::Deny,
            _ => Self::Default,
        }
    }
}

/// The member's role in the account with the account's overrides applied; `None` for a non-member.
///
/// # Errors
/// When the database fails.
pub async fn member_access(
    state: &State,
    account: AccountId,
    user: UserId,
) -> Result<Option<Arc<MemberAccess>>> {
    let load = async {
        let member = load_member(&mut *state.databases.postgres.get().await?, account, user).await?;
        Ok(member.map(Arc::new))
    };
    state.caches.members.get_or_load((account.0, user.0), load).await
}

/// What a member may do now, past the cache: for a transaction that decides by it.
///
/// # Errors
/// When the database fails.
pub async fn member_rights(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Option<Rights>> {
    Ok(load_member(connection, account, user).await?.map(|member| member.rights()))
}

/// The member's role in the account with the account's overrides applied, past the cache; `None` for a non-member.
///
/// # Errors
/// When the database fails.
pub(super) async fn fresh_member_access(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Option<MemberAccess>> {
    load_member(connection, account, user).await
}

/// What a service key may do now, past the cache; `None` when it is no more or expired.
///
/// # Errors
/// When the database fails.
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

/// What the account's overrides deny to everybody in it, also to its service keys (A §5.2, rule 3).
pub(super) async fn denied_permissions(state: &State, account: AccountId) -> Result<AccountScopes> {
    let load = async { load_denials(&mut *state.databases.postgres.get().await?, account).await };
    state.caches.denials.get_or_load(account.0, load).await
}

/// The person's admin-scope and user-scope permissions.
///
/// # Errors
/// When the database fails.
pub async fn user_access(state: &State, user: UserId) -> Result<Arc<UserAccess>> {
    state.caches.users.get_or_load(user.0, load_user(state, user)).await
}

async fn load_member(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Option<MemberAccess>> {
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
    let role: AccountScopes = PermissionSet::from_strings(&permissions);
    let permissions = overridden(role, &overrides);
    let withheld = role.iter().filter(|permission| !permissions.contains(*permission)).collect();
    let is_owner = owner_id == user.0;
    Ok(Some(MemberAccess { permissions, withheld, role_id, role_slug, is_owner }))
}

async fn load_denials(connection: &mut AsyncPgConnection, account: AccountId) -> Result<AccountScopes> {
    use account_permission_overrides::dsl as t;
    let denied: Vec<String> = t::account_permission_overrides
        .filter(t::account_id.eq(account))
        .filter(t::granted.eq(false))
        .select(t::permission)
        .load(connection)
        .await?;
    Ok(PermissionSet::from_strings(&denied))
}

/// What a person may do as operator staff, past the cache.
///
/// # Errors
/// When the database fails.
pub async fn admin_permissions(connection: &mut AsyncPgConnection, user: UserId) -> Result<AdminScopes> {
    let roles: Vec<Vec<String>> = admin_role_members::table
        .inner_join(admin_roles::table)
        .filter(admin_role_members::user_id.eq(user))
        .select(admin_roles::permissions)
        .load(connection)
        .await?;
    Ok(PermissionSet::from_strings(roles.iter().flatten()))
}

async fn load_user(state: &State, user: UserId) -> Result<Arc<UserAccess>> {
    let mut connection = state.databases.postgres.get().await?;
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

/// The slugs of a person's platform-wide roles, and what they give with the person's overrides applied (A §5.2, rule
/// 4). Reads past the cache.
///
/// # Errors
/// When the database fails.
pub async fn effective_user_roles(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<(Vec<String>, UserScopes)> {
    let assigned: Vec<(String, Vec<String>)> = user_role_assignments::table
        .inner_join(user_roles::table)
        .filter(user_role_assignments::user_id.eq(user))
        .order(user_roles::slug.asc())
        .select((user_roles::slug, user_roles::permissions))
        .load(connection)
        .await?;
    // Only somebody without any assignment gets the default role: an assigned empty role grants nothing.
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
    let (slugs, permissions): (Vec<String>, Vec<Vec<String>>) = roles.into_iter().unzip();
    Ok((slugs, overridden(PermissionSet::from_strings(permissions.iter().flatten()), &overrides)))
}

/// A set with grants inserted and denials removed.
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
