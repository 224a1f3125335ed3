//! Checks of the input for roles of operator staff (reference/administration.md#staff-roles).

use std::collections::BTreeSet;

use api_core::{ApiError, Result};
use shared::catalogue::{AdminPermission, Permission, PermissionSet, is_reserved};

use super::{AdminRole, CreateAdminRoleInput, UpdateAdminRoleInput};
use crate::{naming, requested};

/// Checked new role.
pub(super) struct NewAdminRole {
    /// Name.
    pub name: String,
    /// Description; `None`: none.
    pub description: Option<String>,
    /// Permissions, with `admin:access`.
    pub permissions: PermissionSet<AdminPermission>,
}

/// Change, checked as far as that is possible without the role; `None`: unchanged.
pub(super) struct AdminRoleChange {
    /// New name.
    pub name: Option<String>,
    /// New description; `Some(None)` clears.
    pub description: Option<Option<String>>,
    /// New set of permissions, as given.
    pub permissions: Option<Vec<String>>,
}

impl NewAdminRole {
    /// Checks a new role.
    pub fn checked(input: CreateAdminRoleInput) -> Result<Self> {
        input.permissions.iter().try_for_each(|text| not_reserved(text))?;
        let mut permissions = requested::permissions(&input.permissions, |_| true)?;
        permissions.insert(AdminPermission::AdminAccess);
        Ok(Self {
            name: naming::name(&input.name)?,
            description: naming::description(input.description.as_deref())?,
            permissions,
        })
    }
}

impl AdminRoleChange {
    /// Checks a change.
    pub fn checked(input: UpdateAdminRoleInput) -> Result<Self> {
        let permissions = input.permissions.not_null("permissions")?;
        permissions.as_deref().map(requested::bounded).transpose()?;
        permissions.iter().flatten().try_for_each(|text| not_reserved(text))?;
        Ok(Self {
            name: input.name.not_null("name")?.as_deref().map(naming::name).transpose()?,
            description: naming::description_change(input.description)?,
            permissions,
        })
    }

    /// Returns true when nothing changes.
    pub const fn is_empty(&self) -> bool {
        self.name.is_none() && self.description.is_none() && self.permissions.is_none()
    }

    /// Returns the permissions of the role after the change, sorted; `None`: unchanged.
    ///
    /// # Errors
    /// 400 `Invalid permission: …` for a permission that is unknown and that the role does not hold already.
    pub fn permissions_of(&self, role: &AdminRole) -> Result<Option<Vec<String>>> {
        self.permissions.as_deref().map(|asked| changed(&role.permissions, asked)).transpose()
    }
}

/// Applies the difference between the held and the requested permissions to the held ones. Permissions that
/// the catalogue does not know are not part of the difference.
fn changed(held: &[String], asked: &[String]) -> Result<Vec<String>> {
    let held: BTreeSet<&str> = held.iter().map(String::as_str).collect();
    let mut asked: BTreeSet<&str> = asked.iter().map(String::as_str).collect();
    if let Some(unknown) = asked.difference(&held).find(|text| !is_known(text)) {
        return Err(requested::invalid(unknown));
    }
    asked.insert(AdminPermission::AdminAccess.text());
    let removed: BTreeSet<&str> = held.difference(&asked).copied().filter(|text| is_known(text)).collect();
    let kept = held.union(&asked).filter(|text| !removed.contains(**text));
    Ok(kept.map(|text| (*text).to_owned()).collect())
}

/// Refuses permissions that only the System Admin role may hold
/// (reference/permissions.md#reserved-permissions).
fn not_reserved(text: &str) -> Result<()> {
    if AdminPermission::parse(text).is_some_and(is_reserved) {
        return Err(ApiError::invalid(format!("Only the System Admin role may hold {text}")));
    }
    Ok(())
}

fn is_known(text: &str) -> bool {
    AdminPermission::parse(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(held: &[&str], asked: &[&str]) -> Result<Vec<String>> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        changed(&owned(held), &owned(asked))
    }

    #[test]
    fn admin_role_change_keeps_unknown_permissions() {
        let held = ["admin:access", "legacy:thing", "users:read"];
        let expected = |texts: &[&str]| Ok(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(change(&held, &["users:edit"]), expected(&["admin:access", "legacy:thing", "users:edit"]));
        assert_eq!(change(&held, &[]), expected(&["admin:access", "legacy:thing"]));
        assert_eq!(change(&held, &held), expected(&held));
        assert_eq!(change(&held, &["legacy:other"]), Err(requested::invalid("legacy:other")));
        assert_eq!(change(&[], &["users:*"]), Err(requested::invalid("users:*")));
    }
}
