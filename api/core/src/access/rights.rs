//! Sets of permissions, and the rights of members, keys and persons that follow from them
//! (reference/permissions.md#resolution).

use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use shared::catalogue::{AccountPermission, AdminPermission, PermissionSet, UserPermission};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{ApiError, Result};

/// Account permissions.
pub type AccountScopes = PermissionSet<AccountPermission>;
/// Permissions of operator staff.
pub type AdminScopes = PermissionSet<AdminPermission>;
/// Platform-wide permissions of a person.
pub type UserScopes = PermissionSet<UserPermission>;

/// Rights of a member or key in an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// Permissions that may be used.
    pub permissions: AccountScopes,
    /// Permissions that the role or key holds and the account's overrides deny at present. They cannot be
    /// used, but a holder of the role gains them once the override is lifted, so they count where roles are
    /// granted.
    pub withheld: AccountScopes,
}

/// Rights of a member in an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberAccess {
    /// Permissions that may be used.
    pub permissions: AccountScopes,
    /// Withheld permissions, as in [`Rights`].
    pub withheld: AccountScopes,
    /// Role of the member.
    pub role_id: Uuid,
    /// Slug of the role.
    pub role_slug: String,
    /// True for the owner of the account.
    pub is_owner: bool,
}

/// Rights of a person outside of accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserAccess {
    /// Permissions as operator staff.
    pub admin: AdminScopes,
    /// Platform-wide permissions.
    pub user: UserScopes,
    /// Override of the switch of account creation.
    pub account_creation: AccountCreationOverride,
}

/// Override of the global switch of account creation for a person (docs/reference/features.md#account-creation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AccountCreationOverride {
    /// The global switch decides.
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

    /// Rights of a role or key that holds `held` in an account that denies `denied`.
    pub(super) fn of(held: AccountScopes, denied: &AccountScopes) -> Self {
        let withheld = held.intersection(denied);
        Self { permissions: held.iter().filter(|held| !withheld.contains(*held)).collect(), withheld }
    }

    /// Checks that everything in `asked` is held or withheld.
    ///
    /// # Errors
    /// 403 that names a missing permission.
    pub fn must_cover(&self, asked: &AccountScopes) -> Result<()> {
        let covered =
            |permission| self.permissions.contains(permission) || self.withheld.contains(permission);
        match asked.iter().find(|permission| !covered(*permission)) {
            None => Ok(()),
            Some(lacking) => Err(missing(lacking.text())),
        }
    }

    /// Rights that lie within `bounds`.
    pub(super) fn within(&self, bounds: &AccountScopes) -> Self {
        Self {
            permissions: self.permissions.intersection(bounds),
            withheld: self.withheld.intersection(bounds),
        }
    }

    /// Rights that both have.
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
    /// Stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }

    /// Parses a stored text; an unknown one is the default.
    #[must_use]
    pub fn parse(stored: &str) -> Self {
        match stored {
            "allow" => Self::Allow,
            "deny" => Self::Deny,
            _ => Self::Default,
        }
    }
}

/// Checks that everything in `asked` is held.
pub(super) fn must_hold(held: &AccountScopes, asked: &AccountScopes) -> Result<()> {
    match asked.iter().find(|permission| !held.contains(*permission)) {
        None => Ok(()),
        Some(lacking) => Err(missing(lacking.text())),
    }
}

/// Error that names the missing permission.
pub(super) fn missing(permission: &str) -> ApiError {
    ApiError::forbidden(format!("Missing permission: {permission}"))
}
