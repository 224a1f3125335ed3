//! Permissions in inputs.

use api_core::{ApiError, Result};
use shared::catalogue::{Permission, PermissionSet};

/// Longest list. A catalogue has fewer permissions, so that a longer list can only repeat entries.
const MAX_ENTRIES: usize = 200;

/// Parses permissions of one catalogue. Repeated ones count once. Wildcards are in no catalogue
/// (reference/permissions.md#wildcards).
///
/// # Errors
/// 400 `Invalid permission: {perm}` for one that is unknown or that cannot be given; 400 for a list that is
/// too long.
pub(crate) fn permissions<P: Permission>(
    asked: &[String],
    may_be_given: impl Fn(P) -> bool,
) -> Result<PermissionSet<P>> {
    bounded(asked)?;
    asked.iter().map(|text| permission(text, &may_be_given)).collect()
}

/// Parses one permission.
pub(crate) fn permission<P: Permission>(text: &str, may_be_given: impl Fn(P) -> bool) -> Result<P> {
    P::parse(text).filter(|permission| may_be_given(*permission)).ok_or_else(|| invalid(text))
}

pub(crate) fn bounded(asked: &[String]) -> Result<()> {
    if asked.len() > MAX_ENTRIES {
        return Err(ApiError::invalid(format!("permissions must have at most {MAX_ENTRIES} entries")));
    }
    Ok(())
}

pub(crate) fn invalid(text: &str) -> ApiError {
    ApiError::invalid(format!("Invalid permission: {text}"))
}
