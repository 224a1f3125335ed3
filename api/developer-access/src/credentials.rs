//! Permissions that keys and popouts of developers carry (reference/developers.md#main-api).

use api_core::{ApiError, Cx, Result, access::Principal};
use shared::catalogue::AccountPermission;

/// Checks that a key or popout carries the permission. A session carries all permissions of the person.
///
/// # Errors
/// 403 with the permission.
pub fn carries(cx: &Cx, permission: AccountPermission) -> Result<()> {
    let scopes = match cx.principal() {
        Principal::PersonalKey { scopes, .. } | Principal::Popout { scopes, .. } => scopes,
        _ => return Ok(()),
    };
    if scopes.contains(permission) {
        return Ok(());
    }
    Err(ApiError::forbidden(format!("This credential does not carry {permission}")))
}
