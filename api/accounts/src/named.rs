//! Paths that name the account (specification A §4.3, C §3): it must be the one that the caller acts in, because the
//! caller's permissions are those of that one. Any other is as little visible as one that does not exist.

use api_core::{
    ApiError, Cx, Input, Result,
    access::{Principal, SignedIn},
};
use shared::id::AccountId;
use uuid::Uuid;

/// Checks that the named account, if one is named, is the one that the caller acts in.
///
/// # Errors
/// 400 for a malformed id; 404 for another account.
pub(crate) fn must_be(active: AccountId, named: Option<Input<Uuid>>) -> Result<()> {
    match named.transpose()? {
        Some(other) if other != active.0 => Err(not_found()),
        _ => Ok(()),
    }
}

/// The account that a person means: the named one, or else the one they act in. A key acts in its own account only.
///
/// # Errors
/// 404 for an account that the credential does not reach, and when none is named and the caller acts in none.
pub(crate) fn meant(cx: &Cx, person: &SignedIn, named: Option<Uuid>) -> Result<AccountId> {
    let account = named.map(AccountId).or(person.account).ok_or_else(not_found)?;
    match cx.principal() {
        Principal::PersonalKey { account: own, .. } if *own != account => Err(not_found()),
        _ => Ok(account),
    }
}

/// Missing, or not visible to the caller.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Account not found")
}
