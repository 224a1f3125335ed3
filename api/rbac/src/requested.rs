//! Permissions as they are asked for.

use api_core::{ApiError, Result};
use shared::catalogue::{Permission, PermissionSet};

/// More entries than any catalogue has can only repeat each other.
const MAX_ENTRIES: usize = 200;

/// Reads permissions of one catalogue; repeated ones count once. Wildcards are in no catalogue (A §4.6).
///
/// # Errors
/// 400 `Invalid permission: {perm}` for one that is unknown or may not be given, 400 for a list that is too long.
pub(crate) fn permissions<P: Permission>(
    asked: &[String],
    may_be_given: impl Fn(P) -> bool,
) -> Result<PermissionSet<P>> {
    bounded(asked)?;
    asked.iter().map(|text| permission(text, &may_be_given)).collect()
}

/// Reads one permission.
///
/// # Errors
/// 400 `Invalid permission: {perm}`.
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
