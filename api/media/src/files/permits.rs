//! Number of files that a process receives at once (reference/media.md#files). Each takes disk space while it
//! arrives, and a slow client may take long.

use std::time::Duration;

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

/// Permits of this process.
struct Uploads(SharedPermits<AccountId>);

/// Waits for the permit to receive one file of an account.
///
/// # Errors
/// 429 when none is free in time.
pub(crate) async fn permit(state: &State, account: AccountId) -> Result<Permit> {
    let new = || SharedPermits::new(MAX_CONCURRENT_UPLOADS, MAX_CONCURRENT_UPLOADS_PER_ACCOUNT);
    let uploads = state.component(|_| Uploads(new()));
    let permit = uploads.0.acquire(account, PERMIT_TIMEOUT).await;
    permit.ok_or_else(|| {
        ApiError::new(Code::RateLimitExceeded, "Too many uploads at a time").with_retry_after(1)
    })
}
