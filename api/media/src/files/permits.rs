//! Number of files that a process receives, checks and decodes at once (reference/media.md#files). Each takes disk
//! space while it arrives, and a slow client may take long. A check takes a thread for an instant. Decoding takes one
//! for seconds: checks do not wait for it.

use std::{hash::Hash, time::Duration};

use api_core::{
    ApiError, Code, Result, State,
    http::{Permit, SharedPermits},
};
use shared::id::AccountId;

/// Maximum number of files that one account sends to a process at once (reference/media.md#files).
const MAX_CONCURRENT_UPLOADS_PER_ACCOUNT: usize = 4;
/// Maximum number of files that a process receives at once (reference/media.md#files).
const MAX_CONCURRENT_UPLOADS: usize = 64;
/// Time that a request waits for a permit (reference/media.md#files).
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Files that a process checks at once, and sounds that it decodes at once. Each takes a thread.
const MAX_CONCURRENT_CHECKS: usize = 2;
/// Files of one account that a process checks at once, and sounds that it decodes. Those of others need not wait for
/// them.
const MAX_CONCURRENT_CHECKS_PER_ACCOUNT: usize = 1;
/// Time that a received file waits until it is checked or decoded (reference/media.md#files).
const CHECK_PERMIT_TIMEOUT: Duration = Duration::from_secs(30);

/// Permits of this process to receive a file.
struct Uploads(SharedPermits<AccountId>);

/// Permits of this process to check one.
struct Checks(SharedPermits<AccountId>);

/// Permits of this process to decode a sound.
struct Decodes(SharedPermits<AccountId>);

/// Waits for the permit to receive one file of an account.
///
/// # Errors
/// 429 when none is free in time.
pub(crate) async fn permit(state: &State, account: AccountId) -> Result<Permit> {
    let new = || SharedPermits::new(MAX_CONCURRENT_UPLOADS, MAX_CONCURRENT_UPLOADS_PER_ACCOUNT);
    let uploads = state.component(|_| Uploads(new()));
    uploads.0.acquire(account, PERMIT_TIMEOUT).await.ok_or_else(too_many)
}

/// Waits for the permit to check one file of an account.
///
/// # Errors
/// 429 when none is free in time.
pub(super) async fn check_permit(state: &State, account: AccountId) -> Result<Permit> {
    let checks = state.component(|_| Checks(checks()));
    checks.0.acquire(account, CHECK_PERMIT_TIMEOUT).await.ok_or_else(too_many)
}

/// Waits for the permit to decode one sound of an account.
///
/// # Errors
/// 429 when none is free in time.
pub(super) async fn decode_permit(state: &State, account: AccountId) -> Result<Permit> {
    let decodes = state.component(|_| Decodes(checks()));
    decodes.0.acquire(account, CHECK_PERMIT_TIMEOUT).await.ok_or_else(too_many)
}

fn checks<H: Eq + Hash>() -> SharedPermits<H> {
    SharedPermits::new(MAX_CONCURRENT_CHECKS, MAX_CONCURRENT_CHECKS_PER_ACCOUNT)
}

fn too_many() -> ApiError {
    ApiError::new(Code::RateLimitExceeded, "Too many uploads at a time").with_retry_after(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_leave_a_permit_for_another_account() {
        let checks = checks();
        let held = checks.try_acquire("first").unwrap();
        assert!(checks.try_acquire("first").is_none(), "an account has one");
        let other = checks.try_acquire("second").unwrap();
        assert!(checks.try_acquire("third").is_none(), "the process has two");
        drop(held);
        assert!(checks.try_acquire("third").is_some());
        drop(other);
    }
}
