//! Shares of accounts: the runs of a busy account wait for each other's work, and those of other accounts do not
//! (reference/automations.md#execution).
//!
//! Places bound the runs in progress, which are in memory, and not the working ones. Ten runs that compute and write without a pause would use
//! every thread of the process and as many processors of the database, and everybody else would wait behind them. So
//! of an account at most half as many runs work as the process has threads. A run works while it is claimed, is
//! interpreted, writes its steps, and has an effect that this process concludes. It does not while it waits for
//! something outside, so that ten requests may be open.
//!
//! Work is either in this process or in the database: an account uses as many processors as it has permits, of both
//! together, and has as many commits in progress.

use std::{
    collections::HashMap,
    pin::pin,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use uuid::Uuid;

/// Divisor of the threads: runs of an account may work on this fraction of them.
const ACCOUNT_SHARE: usize = 2;
/// Maximum number of runs of a copy that work at the same time (reference/automations.md#execution). Each uses a
/// connection to the database, which leases and starts need too.
const MAX_WORKING_RUNS: usize = 128;
/// Time after which work that has not ended counts as a wait, so that a store that does not answer stops no
/// other run of the account (reference/automations.md#execution).
const MAX_WORK_DURATION: Duration = Duration::from_millis(100);

/// Shares of all accounts.
pub(super) struct Shares {
    permits_of_account: usize,
    max_work_duration: Duration,
    /// Permits of the copy.
    all: Arc<Semaphore>,
    /// Permits of the accounts with runs in this copy.
    accounts: Mutex<HashMap<Uuid, Weak<Semaphore>>>,
}

/// Share of an account, as one of its runs uses it. The permit is released on drop.
pub(super) struct Share {
    permits: Arc<Semaphore>,
    all: Arc<Semaphore>,
    /// Permits of the account and of the copy while the run works.
    permit: Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)>,
    max_work_duration: Duration,
}

impl Shares {
    /// Shares of a process with this number of threads.
    pub fn new(threads: usize) -> Self {
        Self {
            permits_of_account: (threads / ACCOUNT_SHARE).max(1),
            max_work_duration: MAX_WORK_DURATION,
            all: Arc::new(Semaphore::new(MAX_WORKING_RUNS)),
            accounts: Mutex::default(),
        }
    }

    /// Joins the share of an account, without a permit.
    pub fn join(&self, account: Uuid) -> Share {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.retain(|_, permits| permits.strong_count() > 0);
        let joined = accounts.get(&account).and_then(Weak::upgrade);
        let permits = joined.unwrap_or_else(|| {
            let permits = Arc::new(Semaphore::new(self.permits_of_account));
            accounts.insert(account, Arc::downgrade(&permits));
            permits
        });
        drop(accounts);
        let all = Arc::clone(&self.all);
        Share { permits, all, permit: None, max_work_duration: self.max_work_duration }
    }
}

impl Share {
    /// Does work within the share: waits for a permit, unless the run has one, and keeps it afterwards. Work that
    /// takes too long continues without it.
    pub async fn work<W: Future>(&mut self, work: W) -> W::Output {
        self.acquire().await;
        let mut work = pin!(work);
        if let Ok(done) = timeout(self.max_work_duration, work.as_mut()).await {
            return done;
        }
        self.release();
        work.await
    }

    /// Computes within the share: keeps the permit to the end, however long it takes.
    pub async fn compute<W: Future>(&mut self, computation: W) -> W::Output {
        self.acquire().await;
        computation.await
    }

    /// Lets the account's runs that wait for a permit go first, and waits for the next one.
    pub async fn yield_to_others(&mut self) {
        self.release();
        self.acquire().await;
    }

    /// Releases the permit: what follows waits for something outside.
    pub fn release(&mut self) {
        self.permit = None;
    }

    async fn acquire(&mut self) {
        if self.permit.is_none() {
            // That of the account first: runs that wait for others of their account take none of the copy. The
            // semaphores are never closed.
            let of_account = Arc::clone(&self.permits).acquire_owned().await.ok();
            let of_copy = Arc::clone(&self.all).acquire_owned().await.ok();
            self.permit = of_account.zip(of_copy);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use futures::{FutureExt, future::join_all};
    use tokio::{sync::Barrier, task::yield_now};

    use super::*;

    const STORMY: Uuid = Uuid::from_u128(1);
    const QUIET: Uuid = Uuid::from_u128(2);
    /// Number of threads with one permit for each account.
    const THREADS: usize = 2;

    async fn working(shares: &Shares, account: Uuid) -> Share {
        let mut share = shares.join(account);
        share.acquire().await;
        share
    }

    #[tokio::test]
    async fn shares_of_a_busy_account_delay_no_other() {
        let shares = Shares::new(THREADS);
        let first = working(&shares, STORMY).await;
        let mut storm: Vec<_> = (0..9).map(|_| Box::pin(working(&shares, STORMY))).collect();
        for waits in &mut storm {
            assert!(waits.now_or_never().is_none());
        }
        assert_eq!(shares.join(QUIET).work(async { "done" }).now_or_never(), Some("done"));
        drop(first);
        assert!((&mut storm[0]).now_or_never().is_some(), "in the order they came");
    }

    #[tokio::test]
    async fn shares_are_half_of_the_threads() {
        for (threads, permits) in [(1, 1), (2, 1), (3, 1), (4, 2), (16, 8)] {
            let shares = Shares::new(threads);
            let mut storm: Vec<_> = (0..10).map(|_| Box::pin(working(&shares, STORMY))).collect();
            let working: Vec<_> = storm.iter_mut().filter_map(|share| share.now_or_never()).collect();
            assert_eq!(working.len(), permits, "{threads} threads");
        }
    }

    #[tokio::test]
    async fn shares_bound_the_runs_of_all_accounts_that_work() {
        let shares = Shares { all: Arc::new(Semaphore::new(2)), ..Shares::new(THREADS) };
        let first = working(&shares, STORMY).await;
        let mut next = Box::pin(working(&shares, STORMY));
        assert!((&mut next).now_or_never().is_none());
        let second = working(&shares, QUIET).now_or_never();
        assert!(second.is_some(), "runs that wait for their account take no permit of the copy");
        let mut third = Box::pin(working(&shares, Uuid::from_u128(3)));
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        assert!(third.now_or_never().is_some());
    }

    /// Numbers of runs that work, now and at most, and the place where they wait for something outside.
    struct Counted {
        now: AtomicUsize,
        max: AtomicUsize,
        /// Passed only when all runs are here.
        outside: Barrier,
    }

    impl Counted {
        async fn work(&self) {
            self.max.fetch_max(self.now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            yield_now().await;
            self.now.fetch_sub(1, Ordering::Relaxed);
        }

        async fn run(&self, mut share: Share) {
            for _ in 0..3 {
                share.work(self.work()).await;
                share.release();
                self.outside.wait().await;
            }
        }
    }

    #[tokio::test]
    async fn shares_bound_the_runs_that_work_and_not_those_that_wait() {
        const RUNS: usize = 10;
        let shares = Shares::new(THREADS);
        let counted =
            Counted { now: AtomicUsize::new(0), max: AtomicUsize::new(0), outside: Barrier::new(RUNS) };
        join_all((0..RUNS).map(|_| counted.run(shares.join(STORMY)))).await;
        assert_eq!(counted.max.into_inner(), 1);
    }

    /// Records its name and yields, twice.
    async fn note(name: usize, mut share: Share, notes: &Mutex<Vec<usize>>) {
        for _ in 0..2 {
            share.work(async { notes.lock().unwrap().push(name) }).await;
            share.yield_to_others().await;
        }
    }

    #[tokio::test]
    async fn shares_serve_the_runs_of_an_account_in_rotation() {
        let (shares, notes) = (Shares::new(THREADS), Mutex::default());
        let held = working(&shares, STORMY).await;
        let mut runs = Box::pin(join_all((1..=3).map(|name| note(name, shares.join(STORMY), &notes))));
        assert!((&mut runs).now_or_never().is_none());
        drop(held);
        runs.await;
        assert_eq!(*notes.lock().unwrap(), [1, 2, 3, 1, 2, 3]);
    }

    #[tokio::test]
    async fn shares_keep_the_permit_between_pieces_of_work() {
        let shares = Shares::new(THREADS);
        let mut first = shares.join(STORMY);
        first.work(async {}).await;
        let mut second = Box::pin(working(&shares, STORMY));
        assert!((&mut second).now_or_never().is_none());
        first.work(async {}).now_or_never().unwrap();
        assert!((&mut second).now_or_never().is_none());
        first.release();
        assert!(second.now_or_never().is_some());
    }

    #[tokio::test]
    async fn shares_continue_beside_work_that_does_not_end() {
        let shares = Shares { max_work_duration: Duration::from_millis(20), ..Shares::new(THREADS) };
        let (mut stuck, mut next) = (shares.join(STORMY), shares.join(STORMY));
        let mut stuck = Box::pin(stuck.work(pending::<()>()));
        assert!((&mut stuck).now_or_never().is_none());
        let is_done = tokio::select! {
            () = stuck => false,
            () = next.work(async {}) => true,
        };
        assert!(is_done);
    }

    #[tokio::test]
    async fn shares_of_dropped_runs_are_released() {
        let shares = Shares::new(THREADS);
        let held = working(&shares, STORMY).await;
        let mut in_line = Box::pin(working(&shares, STORMY));
        assert!((&mut in_line).now_or_never().is_none());
        drop(held);
        drop(in_line);
        assert!(working(&shares, STORMY).now_or_never().is_some());
        let _other = shares.join(QUIET);
        let accounts: Vec<Uuid> = shares.accounts.lock().unwrap().keys().copied().collect();
        assert_eq!(accounts, [QUIET]);
    }
}
