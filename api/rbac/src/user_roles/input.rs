//! Checks of the input for platform-wide roles (reference/permissions.md#user-roles).

use api_core::{ApiError, Result, access::UserScopes};
use shared::catalogue::{UserPermission, assignable_user_permissions, user_roles};

use super::{CreateUserRoleInput, UpdateUserRoleInput, UserRole};
use crate::{naming, requested};

/// Checked new role.
pub(super) struct NewUserRole {
    /// Slug, made of the name.
    pub slug: String,
    /// Name.
    pub name: String,
    /// Description; `None`: none.
    pub description: Option<String>,
    /// Permissions.
    pub permissions: UserScopes,
}

/// Change, checked as far as that is possible without the role.
pub(super) struct UserRoleChange {
    name: Option<String>,
    description: Option<Option<String>>,
    permissions: Option<Vec<String>>,
    is_default: Option<bool>,
}

/// Checked change; `None`: unchanged.
pub(super) struct CheckedChange {
    /// New slug.
    pub slug: Option<String>,
    /// New name.
    pub name: Option<String>,
    /// New description; `Some(None)` clears.
    pub description: Option<Option<String>>,
    /// New set of permissions.
    pub permissions: Option<UserScopes>,
    /// `Some(true)` makes it the default role.
    pub is_default: Option<bool>,
}

impl NewUserRole {
    /// Checks a new role.
    pub fn checked(input: CreateUserRoleInput) -> Result<Self> {
        let name = naming::name(&input.name)?;
        let ten = assignable_user_permissions();
        Ok(Self {
            slug: slug(&name)?,
            name,
            description: naming::description(input.description.as_deref())?,
            permissions: requested::permissions(&input.permissions, |permission| ten.contains(permission))?,
        })
    }
}

impl UserRoleChange {
    /// Checks a change.
    pub fn checked(input: UpdateUserRoleInput) -> Result<Self> {
        let name = input.name.not_null("name")?.as_deref().map(naming::name).transpose()?;
        name.as_deref().map(slug).transpose()?;
        let permissions = input.permissions.not_null("permissions")?;
        if let Some(asked) = &permissions {
            // Unknown permissions are refused here. The allowed ones depend on the role.
            requested::permissions::<UserPermission>(asked, |_| true)?;
        }
        Ok(Self {
            name,
            description: naming::description_change(input.description)?,
            permissions,
            is_default: input.is_default.not_null("is_default")?,
        })
    }

    /// Returns true when nothing changes.
    pub const fn is_empty(&self) -> bool {
        self.name.is_none()
            && self.description.is_none()
            && self.permissions.is_none()
            && self.is_default.is_none()
    }

    /// Checks the change against the role.
    ///
    /// # Errors
    /// 400 for a permission that the role may not hold; 409 for the name of a seeded role, and for clearing
    /// the default.
    pub fn for_role(self, role: &UserRole) -> Result<CheckedChange> {
        let allowed = may_hold(role);
        let permissions =
            self.permissions.map(|asked| requested::permissions(&asked, |p| allowed.contains(p)));
        let permissions = permissions.transpose()?;
        let name = self.name.filter(|name| *name != role.name);
        if role.is_system && name.is_some() {
            return Err(ApiError::conflict("Cannot rename system role"));
        }
        if role.is_default && self.is_default == Some(false) {
            return Err(ApiError::conflict("Cannot clear the default role without naming another"));
        }
        Ok(CheckedChange {
            slug: name.as_deref().map(slug).transpose()?,
            name,
            description: self.description,
            permissions,
            is_default: self.is_default,
        })
    }
}

/// Returns the ten permissions of a member, and for a seeded role also those that it was seeded with, so that
/// only the seeded roles hold moderation (reference/permissions.md#user-scope).
fn may_hold(role: &UserRole) -> UserScopes {
    let mut allowed = assignable_user_permissions();
    if let Some(seed) = user_roles().into_iter().find(|seed| role.is_system && seed.slug == role.slug) {
        seed.permissions.iter().for_each(|permission| allowed.insert(permission));
    }
    allowed
}

fn slug(name: &str) -> Result<String> {
    let slug = naming::slug_of(name);
    if slug.is_empty() {
        return Err(ApiError::invalid("name must contain a letter or a digit"));
    }
    Ok(slug)
}
