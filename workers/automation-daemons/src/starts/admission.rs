//! Admission of the jobs of accounts: a storm of lines of one account delays only its own starts
//! (reference/automations.md#starts-by-lines-and-events).
//!
//! A job needs a permit of its account before it takes a connection. A few further jobs of the account wait for it
//! here; the others return to the queue, so that the jobs of other accounts behind them are read.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use foundation::permits::{Permit, SharedPermits};
use queue::Later;
use uuid::Uuid;

/// Maximum number of jobs of an account that a copy handles at the same time. They would wait for each other's locks.
const MAX_CONCURRENT_STARTS_OF_ACCOUNT: usize = 1;
/// Maximum number of jobs of an account that a copy handles or that wait in it
/// (reference/automations.md#starts-by-lines-and-events).
const MAX_ADMITTED_STARTS_OF_ACCOUNT: usize = 10;
/// Divisor of the connections to the database: jobs use this fraction of them.
const CONNECTION_SHARE: u32 = 2;
/// Maximum wait of an admitted job for its permit.
const START_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Minimum time after which a job that was not admitted runs again.
const MIN_POSTPONEMENT: Duration = Duration::from_millis(100);
/// Maximum time after which a job that was not admitted runs again
/// (reference/automations.md#starts-by-lines-and-events).
const MAX_POSTPONEMENT: Duration = Duration::from_secs(30);
/// Time between two jobs of an account that run again.
const POSTPONEMENT_INTERVAL: Duration = Duration::from_millis(10);

/// Permits of the jobs of one copy.
pub(super) struct Admission {
    /// Permits to be handled or to wait. Their number is that of the jobs which the copy holds.
    admitted: SharedPermits<Uuid>,
    working: SharedPermits<Uuid>,
    permit_timeout: Duration,
    /// Times at which the last jobs that were not admitted run again, by account.
    postponed: Mutex<HashMap<Uuid, Instant>>,
}

/// Permits of a job that is handled. Dropping them releases them.
#[derive(Debug)]
pub(super) struct Admitted {
    _admitted: Permit,
    _working: Permit,
}

impl Admission {
    /// Admission of a copy that holds a number of jobs and has a number of connections.
    pub fn new(jobs: usize, connections: u32) -> Self {
        let max_working = usize::try_from(connections / CONNECTION_SHARE).unwrap_or(jobs);
        let max_working = max_working.clamp(1, jobs.max(1));
        Self {
            admitted: SharedPermits::new(jobs, MAX_ADMITTED_STARTS_OF_ACCOUNT),
            working: SharedPermits::new(max_working, MAX_CONCURRENT_STARTS_OF_ACCOUNT),
            permit_timeout: START_PERMIT_TIMEOUT,
            postponed: Mutex::default(),
        }
    }

    /// Waits until a job of an account may be handled.
    ///
    /// # Errors
    /// [`Later`] when too many jobs of the account wait already, or no permit is free in time.
    pub async fn enter(&self, account: Uuid) -> Result<Admitted, Later> {
        let Some(admitted) = self.admitted.try_acquire(account) else { return Err(self.later(account)) };
        let working = self.working.acquire(account, self.permit_timeout).await;
        let working = working.ok_or_else(|| self.later(account))?;
        Ok(Admitted { _admitted: admitted, _working: working })
    }

    fn later(&self, account: Uuid) -> Later {
        Later::after(self.postpone(account, Instant::now()))
    }

    /// Returns the time after which a job runs again: after those of its account that were postponed before it, so
    /// that however many there are, few come back at a time.
    fn postpone(&self, account: Uuid, now: Instant) -> Duration {
        let mut postponed = self.postponed.lock().unwrap_or_else(PoisonError::into_inner);
        postponed.retain(|_, last| *last > now);
        let last = postponed.entry(account).or_insert(now);
        *last = (*last + POSTPONEMENT_INTERVAL).clamp(now + MIN_POSTPONEMENT, now + MAX_POSTPONEMENT);
        last.duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio::task::yield_now;

    use super::*;

    const STORMY: Uuid = Uuid::from_u128(1);
    const QUIET: Uuid = Uuid::from_u128(2);

    #[tokio::test]
    async fn admission_of_a_storm_delays_no_other_account() {
        let admission = Admission::new(200, 16);
        let handled = admission.enter(STORMY).await.unwrap();
        let mut storm: Vec<_> = (1..200).map(|_| Box::pin(admission.enter(STORMY))).collect();
        let entered: Vec<_> = storm.iter_mut().map(|job| job.now_or_never()).collect();
        let waiting = entered.iter().filter(|entered| entered.is_none()).count();
        assert_eq!(waiting, MAX_ADMITTED_STARTS_OF_ACCOUNT - 1);
        let postponed = entered.iter().flatten().filter(|entered| entered.is_err()).count();
        assert_eq!(postponed, 200 - MAX_ADMITTED_STARTS_OF_ACCOUNT, "the others leave the copy");
        assert!(admission.enter(QUIET).now_or_never().unwrap().is_ok());
        drop(handled);
        assert!((&mut storm[0]).now_or_never().unwrap().is_ok(), "in the order they came");
    }

    #[tokio::test]
    async fn admission_leaves_half_of_the_connections_to_others() {
        for (connections, max) in [(1, 1), (2, 1), (16, 8), (500, 40)] {
            let admission = Admission::new(40, connections);
            let enter = |account| admission.enter(Uuid::from_u128(account)).now_or_never();
            let handled: Vec<_> = (0..40).filter_map(enter).collect();
            assert_eq!(handled.len(), max, "{connections} connections");
            assert!(handled.iter().all(Result::is_ok));
            // A task that has polled much waits without a reason.
            yield_now().await;
        }
    }

    #[tokio::test]
    async fn admission_postpones_a_job_without_a_permit_in_time() {
        let admission = Admission { permit_timeout: Duration::from_millis(20), ..Admission::new(200, 16) };
        let _handled = admission.enter(STORMY).await.unwrap();
        assert!(admission.enter(STORMY).await.is_err());
        let places = (1..MAX_ADMITTED_STARTS_OF_ACCOUNT).map(|_| admission.admitted.try_acquire(STORMY));
        assert!(places.collect::<Vec<_>>().iter().all(Option::is_some), "its place is free again");
    }

    #[test]
    fn admission_spreads_the_jobs_that_run_again() {
        let (admission, now) = (Admission::new(200, 16), Instant::now());
        let delays: Vec<Duration> = (0..5_000).map(|_| admission.postpone(STORMY, now)).collect();
        assert_eq!(delays[..3], [100, 110, 120].map(Duration::from_millis));
        assert_eq!((delays[1_000], delays[4_999]), (Duration::from_millis(10_100), MAX_POSTPONEMENT));
        assert_eq!(admission.postpone(QUIET, now), MIN_POSTPONEMENT, "other accounts do not wait for it");
        let later = now + MAX_POSTPONEMENT;
        assert_eq!(admission.postpone(QUIET, later), MIN_POSTPONEMENT);
        let accounts: Vec<Uuid> = admission.postponed.lock().unwrap().keys().copied().collect();
        assert_eq!(accounts, [QUIET], "accounts without postponed jobs are removed");
    }
}
