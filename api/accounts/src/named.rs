//! Accounts named in a path or input (reference/accounts.md#account-of-the-caller). The caller's permissions
//! are those of the active account, so any other is reported as missing.

use api_core::{
    ApiError, Cx, Input, Result,
    access::{Principal, SignedIn},
};
use shared::id::AccountId;
use uuid::Uuid;

/// Checks that a named account is the one that the caller acts in.
///
/// # Errors
/// 400 for a malformed id; 404 for another account.
pub(crate) fn must_be(active: AccountId, named: Option<Input<Uuid>>) -> Result<()> {
    match named.transpose()? {
        Some(other) if other != active.uuid() => Err(not_found()),
        _ => Ok(()),
    }
}

/// The named account, else the active one. A key reaches its own account only.
///
/// # Errors
/// 404 for an account that the credential does not reach, and without a named and an active account.
pub(crate) fn meant(cx: &Cx, person: &SignedIn, named: Option<Uuid>) -> Result<Uuid> {
    let account = named.or(person.account.map(AccountId::uuid)).ok_or_else(not_found)?;
    match cx.principal() {
        Principal::PersonalKey { account: own, .. } if own.uuid() != account => Err(not_found()),
        _ => Ok(account),
    }
}

/// Error for an account that is missing or not visible to the caller.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Account not found")
}
