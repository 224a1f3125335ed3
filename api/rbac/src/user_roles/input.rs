//! What a platform-wide role may be (specification A §5.5; C §6).

use api_core::{ApiError, Result, access::UserScopes};
use shared::catalogue::{UserPermission, assignable_user_permissions, user_roles};

use super::{CreateUserRoleInput, UpdateUserRoleInput, UserRole};
use crate::{naming, requested};

/// A checked new role.
pub(super) struct NewUserRole {
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    pub permissions: UserScopes,
}

/// A change as far as it can be checked without the role.
pub(super) struct UserRoleChange {
    name: Option<String>,
    description: Option<Option<String>>,
    permissions: Option<Vec<String>>,
    is_default: Option<bool>,
}

/// A checked change; `None` leaves as it is.
pub(super) struct CheckedChange {
    pub slug: Option<String>,
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    pub permissions: Option<UserScopes>,
    pub is_default: Option<bool>,
}

impl NewUserRole {
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
    pub fn checked(input: UpdateUserRoleInput) -> Result<Self> {
        let name = input.name.not_null("name")?.as_deref().map(naming::name).transpose()?;
        name.as_deref().map(slug).transpose()?;
        let permissions = input.permissions.not_null("permissions")?;
        if let Some(asked) = &permissions {
            // What may be given depends on the role; what is in no role never does.
            requested::permissions::<UserPermission>(asked, |_| true)?;
        }
        Ok(Self {
            name,
            description: naming::description_change(input.description)?,
            permissions,
            is_default: input.is_default.not_null("is_default")?,
        })
    }

    pub const fn is_empty(&self) -> bool {
        self.name.is_none()
            && self.description.is_none()
            && self.permissions.is_none()
            && self.is_default.is_none()
    }

    /// The change of a role.
    ///
    /// # Errors
    /// 400 for a permission that the role may not hold; 409 for the name of a seeded role, and for clearing the
    /// default.
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

/// The ten, and for a seeded role also what it was seeded with: moderation stays with the moderators (A §5.5).
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
