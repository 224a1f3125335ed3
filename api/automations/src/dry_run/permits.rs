//! Number of dry runs that a process plays at once (reference/automations.md#dry-run). Each holds a graph and takes a
//! thread.

use std::{hash::Hash, time::Duration};

use api_core::{
    ApiError, Code, Result, State,
    http::{Permit, SharedPermits},
};
use shared::id::AccountId;

/// Maximum number of dry runs that a process plays at once (reference/automations.md#dry-run).
const MAX_CONCURRENT_DRY_RUNS: usize = 4;
/// Maximum number of dry runs of an account that a process plays at once (reference/automations.md#dry-run).
const MAX_CONCURRENT_DRY_RUNS_PER_ACCOUNT: usize = 1;
/// Time that a dry run waits for its permit (reference/automations.md#dry-run).
const DRY_RUN_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Permits of this process.
struct DryRuns(SharedPermits<AccountId>);

/// Waits for the permit of a dry run.
///
/// # Errors
/// 429 when none is free in time.
pub(super) async fn permit(state: &State, account: AccountId) -> Result<Permit> {
    let permits = state.component(|_| DryRuns(dry_runs()));
    let acquired = permits.0.acquire(account, DRY_RUN_PERMIT_TIMEOUT).await;
    acquired.ok_or_else(|| {
        ApiError::new(Code::RateLimitExceeded, "Too many dry runs at once").with_retry_after(1)
    })
}

fn dry_runs<H: Eq + Hash>() -> SharedPermits<H> {
    SharedPermits::new(MAX_CONCURRENT_DRY_RUNS, MAX_CONCURRENT_DRY_RUNS_PER_ACCOUNT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dry_runs_of_an_account_leave_permits_for_others() {
        let permits = dry_runs();
        let first = permits.try_acquire("a").unwrap();
        assert!(permits.try_acquire("a").is_none(), "one of an account");
        let others = ["b", "c", "d"].map(|account| permits.try_acquire(account).unwrap());
        assert!(permits.try_acquire("e").is_none(), "all are taken");
        drop(first);
        assert!(permits.try_acquire("a").is_some());
        drop(others);
    }
}
