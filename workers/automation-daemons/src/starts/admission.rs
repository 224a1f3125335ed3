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
/// Maximum number of jobs of an account that a copy handles or that wait in it, while those beyond this number of all
/// accounts take half of the jobs that the copy holds
/// (reference/automations.md#starts-by-lines-and-events).
const MAX_ADMITTED_STARTS_OF_ACCOUNT_IN_A_CROWDED_COPY: usize = 2;
/// Divisor of the jobs that a copy holds: the further ones of all accounts take this fraction of them.
const FURTHER_SHARE: usize = 2;
/// Divisor of the connections to the database: jobs use this fraction of them.
const CONNECTION_SHARE: u32 = 2;
/// Maximum wait of an admitted job for a connection, and for evaluations of its account
/// (reference/automations.md#starts-by-lines-and-events).
pub(super) const START_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Minimum time after which a job that was not admitted runs again.
const MIN_POSTPONEMENT: Duration = Duration::from_millis(100);
/// Maximum time after which a job that was not admitted runs again
/// (reference/automations.md#starts-by-lines-and-events).
const MAX_POSTPONEMENT: Duration = Duration::from_secs(30);
/// Time between two jobs of an account that run again.
const POSTPONEMENT_INTERVAL: Duration = Duration::from_millis(10);

/// Permits of the jobs of one copy.
pub(super) struct Admission {
    /// Permits of the first jobs of each account to be handled or to wait. Their number is that of the jobs which the
    /// copy holds.
    first: SharedPermits<Uuid>,
    /// Permits of the further ones.
    further: SharedPermits<Uuid>,
    working: SharedPermits<Uuid>,
    permit_timeout: Duration,
    /// Times at which the last jobs that were not admitted run again, by account.
    postponed: Mutex<HashMap<Uuid, Instant>>,
}

/// Permits of a job that is handled. Dropping them releases them.
#[derive(Debug)]
pub(super) struct Admitted {
    account: Uuid,
    _admitted: Permit,
    working: Permit,
}

impl Admission {
    /// Admission of a copy that holds a number of jobs and has a number of connections.
    pub fn new(jobs: usize, connections: u32) -> Self {
        let max_working = usize::try_from(connections / CONNECTION_SHARE).unwrap_or(jobs);
        let max_working = max_working.clamp(1, jobs.max(1));
        Self {
            first: SharedPermits::new(jobs, MAX_ADMITTED_STARTS_OF_ACCOUNT_IN_A_CROWDED_COPY),
            further: SharedPermits::new(
                jobs / FURTHER_SHARE,
                MAX_ADMITTED_STARTS_OF_ACCOUNT - MAX_ADMITTED_STARTS_OF_ACCOUNT_IN_A_CROWDED_COPY,
            ),
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
        let admitted = self.first.try_acquire(account).or_else(|| self.further.try_acquire(account));
        let Some(admitted) = admitted else { return Err(self.later(account)) };
        let working = self.working.acquire(account, self.permit_timeout).await;
        let working = working.ok_or_else(|| self.later(account))?;
        Ok(Admitted { account, _admitted: admitted, working })
    }

    /// Waits until a job whose connection was released may use one again.
    ///
    /// # Errors
    /// [`Later`] when none is free in time.
    pub async fn restore_connection(&self, admitted: &mut Admitted) -> Result<(), Later> {
        let is_restored = self.working.restore_of_all(&mut admitted.working, self.permit_timeout).await;
        if is_restored { Ok(()) } else { Err(self.later(admitted.account)) }
    }

    /// Returns a job of an account to the queue.
    pub fn later(&self, account: Uuid) -> Later {
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

impl Admitted {
    /// Lets jobs of other accounts use the connection. Those of the account still wait, so that their order is kept.
    pub fn release_connection(&mut self) {
        self.working.release_of_all();
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
    async fn admission_of_many_storms_leaves_places_to_other_accounts() {
        const STORMS: u128 = 40;
        let admission = Admission::new(200, 16);
        let (mut handled, mut waiting) = (Vec::new(), Vec::new());
        for _ in 0..MAX_ADMITTED_STARTS_OF_ACCOUNT {
            for account in 0..STORMS {
                let mut job = Box::pin(admission.enter(Uuid::from_u128(account)));
                match (&mut job).now_or_never() {
                    Some(Ok(admitted)) => handled.push(admitted),
                    Some(Err(_later)) => {}
                    None => waiting.push(job),
                }
                // A task that has polled much waits without a reason.
                yield_now().await;
            }
        }
        assert_eq!((handled.len(), waiting.len()), (8, 172), "two of each account, and half of the places");
        let mut quiet = Box::pin(admission.enter(Uuid::max()));
        assert!((&mut quiet).now_or_never().is_none(), "it is admitted and waits for a connection");
    }

    #[tokio::test]
    async fn admission_lets_others_use_a_released_connection() {
        let admission = Admission { permit_timeout: Duration::from_millis(20), ..Admission::new(200, 2) };
        let mut evaluating = admission.enter(STORMY).await.unwrap();
        assert!(admission.enter(QUIET).await.is_err(), "the connection is in use");
        evaluating.release_connection();
        let other = admission.enter(QUIET).await.unwrap();
        assert!(admission.enter(STORMY).await.is_err(), "jobs of the account keep their order");
        assert!(admission.restore_connection(&mut evaluating).await.is_err());
        drop(other);
        assert!(admission.restore_connection(&mut evaluating).await.is_ok());
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
        assert!(admission.first.try_acquire(STORMY).is_some(), "its place is free again");
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
