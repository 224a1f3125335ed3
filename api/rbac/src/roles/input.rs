//! Checks of the input for roles of accounts (reference/permissions.md#account-roles).

use api_core::{ApiError, Result, access::AccountScopes};

use super::{CreateRoleInput, UpdateRoleInput};
use crate::{naming, requested};

/// Length of `#rrggbb`.
pub(super) const COLOR_LENGTH: usize = 7;

/// Checked new role.
pub(super) struct NewRole {
    /// Name.
    pub name: String,
    /// Description; `None`: none.
    pub description: Option<String>,
    /// `#rrggbb` in lower case; `None`: none.
    pub color: Option<String>,
    /// Permissions.
    pub permissions: AccountScopes,
}

/// Checked change; `None`: unchanged.
pub(super) struct RoleChange {
    /// New name.
    pub name: Option<String>,
    /// New description; `Some(None)` clears.
    pub description: Option<Option<String>>,
    /// New color; `Some(None)` clears.
    pub color: Option<Option<String>>,
    /// New set of permissions.
    pub permissions: Option<AccountScopes>,
}

impl NewRole {
    /// Checks a new role.
    pub fn checked(input: CreateRoleInput) -> Result<Self> {
        Ok(Self {
            name: naming::name(&input.name)?,
            description: naming::description(input.description.as_deref())?,
            color: input.color.as_deref().map(color).transpose()?,
            permissions: requested::permissions(&input.permissions, |_| true)?,
        })
    }
}

impl RoleChange {
    /// Checks a change.
    pub fn checked(input: UpdateRoleInput) -> Result<Self> {
        let permissions = input.permissions.not_null("permissions")?;
        Ok(Self {
            name: input.name.not_null("name")?.as_deref().map(naming::name).transpose()?,
            description: naming::description_change(input.description)?,
            color: input.color.try_map(|text| color(&text))?.into_change(),
            permissions: permissions.map(|asked| requested::permissions(&asked, |_| true)).transpose()?,
        })
    }

    /// Returns true when nothing changes.
    pub const fn is_empty(&self) -> bool {
        self.name.is_none()
            && self.description.is_none()
            && self.color.is_none()
            && self.permissions.is_none()
    }
}

/// Parses a color and returns it as `#rrggbb` in lower case.
fn color(text: &str) -> Result<String> {
    let text = text.trim();
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() + 1 == COLOR_LENGTH && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err(ApiError::invalid("color must be six hexadecimal digits after a #, for example #1a2b3c"))
}

/// Parses a position in a list.
pub(super) fn position(given: i32) -> Result<usize> {
    usize::try_from(given).map_err(|_negative| ApiError::invalid("position must be 0 or greater"))
}

pub(super) fn wrong_position(highest: usize) -> ApiError {
    ApiError::invalid(format!("position must be between 0 and {highest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn color_is_six_hexadecimal_digits() {
        assert_eq!(color(" #1A2b3C").as_deref(), Ok("#1a2b3c"));
        for wrong in ["", "#", "1a2b3c", "#1a2b3", "#1a2b3c4", "#1a2b3g", "red", "##a2b3c", "#ééé"] {
            assert!(color(wrong).is_err(), "{wrong}");
        }
    }
}
