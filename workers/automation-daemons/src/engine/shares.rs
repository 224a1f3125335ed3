//! Shares of accounts: the runs of a busy account wait for each other's work, and those of other accounts do not
//! (reference/automations.md#execution).
//!
//! The runs in progress are bounded for their memory. Those that work are bounded apart: ten that compute and write
//! without a pause would use every thread of the process and as many processors of the database, and every other
//! account would wait behind them. A run works while it is claimed, is interpreted, writes its steps, and has an effect
//! that this process concludes. It does not while it waits for something outside, so that ten requests may be open.
//!
//! Work is either in this process or in the database: an account uses as many processors as it has permits, of both
//! together, and has as many commits in progress. Regular expressions wait for a permit only a short time, because
//! other accounts wait for their evaluation: one evaluation of the account may use a processor besides.

use std::{pin::pin, sync::Arc, time::Duration};

use foundation::permits::{Permit, SharedPermits};
use tokio::{sync::OwnedSemaphorePermit, time::timeout};
use uuid::Uuid;

/// Divisor of the threads and of the connections of runs: those of an account may use this fraction of them.
const ACCOUNT_SHARE: usize = 2;
/// Divisor of the connections to the database: runs that work use this fraction of them. Leases, sweeps and starts need
/// others.
const CONNECTION_SHARE: u32 = 2;
/// Maximum number of runs of a copy that work at the same time, however many connections it has
/// (reference/automations.md#execution).
const MAX_WORKING_RUNS: usize = 128;
/// Time after which work that has not ended counts as a wait, so that a store that does not answer stops few
/// other runs of the account (reference/automations.md#execution).
const MAX_WORK_DURATION: Duration = Duration::from_millis(100);

/// Shares of all accounts.
pub(super) struct Shares {
    permits: Arc<Permits>,
    max_work_duration: Duration,
}

/// Permits of the accounts with runs in this copy.
struct Permits {
    /// To use a thread or a processor of the database. Only the shares of the accounts are bounded.
    threads: SharedPermits<Uuid>,
    /// To use a connection.
    connections: SharedPermits<Uuid>,
}

/// Share of an account, as one of its runs uses it. Its permits are released on drop.
pub(super) struct Share {
    account: Uuid,
    permits: Arc<Permits>,
    thread: Option<OwnedSemaphorePermit>,
    connection: Option<Permit>,
    max_work_duration: Duration,
}

impl Shares {
    /// Shares of a process with a number of threads and of connections to the database.
    pub fn new(threads: usize, connections: u32) -> Self {
        let working = usize::try_from(connections / CONNECTION_SHARE).unwrap_or(MAX_WORKING_RUNS);
        let working = working.clamp(1, MAX_WORKING_RUNS);
        let of_account = |all: usize| (all / ACCOUNT_SHARE).max(1);
        let permits = Permits {
            threads: SharedPermits::new(threads, of_account(threads)),
            connections: SharedPermits::new(working, of_account(working)),
        };
        Self { permits: Arc::new(permits), max_work_duration: MAX_WORK_DURATION }
    }

    /// Joins the share of an account, without a permit.
    pub fn join(&self, account: Uuid) -> Share {
        Share {
            account,
            permits: Arc::clone(&self.permits),
            thread: None,
            connection: None,
            max_work_duration: self.max_work_duration,
        }
    }
}

impl Share {
    /// Returns the account.
    pub const fn account(&self) -> Uuid {
        self.account
    }

    /// Does work within the share: waits for its permits, unless the run has them, and keeps them afterwards. Work that
    /// takes too long continues without the one of a thread, and keeps that of its connection to its end.
    pub async fn work<W: Future>(&mut self, work: W) -> W::Output {
        self.acquire().await;
        self.work_with_permits(work).await
    }

    /// Does work that needs no connection, as [`work`](Self::work) does: other runs use the connection.
    pub async fn work_without_connection<W: Future>(&mut self, work: W) -> W::Output {
        self.connection = None;
        self.acquire_thread().await;
        self.work_with_permits(work).await
    }

    async fn work_with_permits<W: Future>(&mut self, work: W) -> W::Output {
        let mut work = pin!(work);
        if let Ok(done) = timeout(self.max_work_duration, work.as_mut()).await {
            return done;
        }
        self.thread = None;
        let done = work.await;
        self.connection = None;
        done
    }

    /// Lets the account's runs that wait for a permit go first, and waits for the next one.
    pub async fn yield_to_others(&mut self) {
        self.release();
        self.acquire().await;
    }

    /// Releases the permits: what follows waits for something outside.
    pub fn release(&mut self) {
        self.thread = None;
        self.connection = None;
    }

    /// Takes that of a thread first: runs that wait for others of their account take no connection.
    async fn acquire(&mut self) {
        self.acquire_thread().await;
        if self.connection.is_none() {
            self.connection = self.permits.connections.acquire_untimed(self.account).await;
        }
    }

    /// Waits for the permit of a thread alone, no longer than work takes that is no wait. What follows computes without
    /// a connection, and without the permit too when it was not free: others wait for the run.
    pub async fn acquire_thread_in_time(&mut self) {
        if self.thread.is_none() {
            self.thread = self.permits.threads.acquire_share(self.account, self.max_work_duration).await;
        }
    }

    /// Waits for the permit of a thread alone, unless the run has it.
    async fn acquire_thread(&mut self) {
        if self.thread.is_none() {
            self.thread = self.permits.threads.acquire_share_untimed(self.account).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::{
            Mutex,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use futures::{FutureExt, future::join_all};
    use tokio::{sync::Barrier, task::yield_now};

    use super::*;

    const STORMY: Uuid = Uuid::from_u128(1);
    const QUIET: Uuid = Uuid::from_u128(2);
    /// Number of threads with one permit for each account.
    const THREADS: usize = 2;
    /// More than the runs of a test need.
    const CONNECTIONS: u32 = 200;

    /// Shares whose work soon counts as a wait.
    fn impatient(threads: usize, connections: u32) -> Shares {
        Shares { max_work_duration: Duration::from_millis(20), ..Shares::new(threads, connections) }
    }

    async fn working(shares: &Shares, account: Uuid) -> Share {
        let mut share = shares.join(account);
        share.acquire().await;
        share
    }

    #[tokio::test]
    async fn shares_of_a_busy_account_delay_no_other() {
        let shares = Shares::new(THREADS, CONNECTIONS);
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
            let shares = Shares::new(threads, CONNECTIONS);
            let mut storm: Vec<_> = (0..10).map(|_| Box::pin(working(&shares, STORMY))).collect();
            let working: Vec<_> = storm.iter_mut().filter_map(|share| share.now_or_never()).collect();
            assert_eq!(working.len(), permits, "{threads} threads");
        }
    }

    #[tokio::test]
    async fn shares_leave_half_of_the_connections_to_others() {
        for (connections, all) in [(2, 1), (3, 1), (16, 8), (100, 50), (500, MAX_WORKING_RUNS)] {
            let shares = Shares::new(THREADS, connections);
            let mut runs = Vec::new();
            for account in 0..200 {
                runs.extend(working(&shares, Uuid::from_u128(account)).now_or_never());
                // A task that has polled much waits without a reason.
                yield_now().await;
            }
            assert_eq!(runs.len(), all, "{connections} connections");
        }
    }

    #[tokio::test]
    async fn shares_bound_the_runs_of_all_accounts_that_work() {
        let shares = Shares::new(THREADS, 4);
        let first = working(&shares, STORMY).await;
        let mut next = Box::pin(working(&shares, STORMY));
        assert!((&mut next).now_or_never().is_none());
        let second = working(&shares, QUIET).now_or_never();
        assert!(second.is_some(), "runs that wait for their account take no connection");
        let mut third = Box::pin(working(&shares, Uuid::from_u128(3)));
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        assert!(third.now_or_never().is_some());
    }

    #[tokio::test]
    async fn shares_of_runs_that_compute_use_no_connection() {
        let shares = Shares::new(THREADS, 2);
        let mut computing = shares.join(STORMY);
        computing.work(async {}).await;
        computing.work_without_connection(async {}).await;
        assert_eq!(shares.join(QUIET).work(async { "done" }).now_or_never(), Some("done"));
        assert!(working(&shares, STORMY).now_or_never().is_none(), "its own thread is in use");
    }

    #[tokio::test]
    async fn shares_of_runs_that_wait_for_a_store_use_their_connections() {
        const STUCK: usize = 3;
        let shares = impatient(THREADS, 8);
        let mut stuck: Vec<_> = (0..STUCK)
            .map(|_| {
                let mut share = shares.join(STORMY);
                Box::pin(async move { share.work(pending::<()>()).await })
            })
            .collect();
        let waiting = timeout(Duration::from_millis(200), join_all(stuck.iter_mut()));
        assert!(waiting.await.is_err());
        assert!(working(&shares, STORMY).now_or_never().is_none(), "the account has half of the connections");
        let others = [QUIET, Uuid::from_u128(3)].map(|account| working(&shares, account).now_or_never());
        assert!(others.iter().all(Option::is_some), "the other half is left to others");
        let mut next = Box::pin(working(&shares, Uuid::from_u128(4)));
        assert!((&mut next).now_or_never().is_none(), "each connection is counted");
        drop(stuck);
        assert!(next.now_or_never().is_some());
    }

    #[tokio::test]
    async fn shares_of_runs_that_wait_without_a_connection_use_no_permit() {
        let shares = impatient(THREADS, 2);
        let mut waiting = shares.join(STORMY);
        waiting.work(async {}).await;
        let mut waiting = Box::pin(waiting.work_without_connection(pending::<()>()));
        assert!(timeout(Duration::from_millis(200), waiting.as_mut()).await.is_err());
        assert_eq!(shares.join(STORMY).work(async { "done" }).now_or_never(), Some("done"));
    }

    #[tokio::test]
    async fn shares_wait_for_a_thread_in_time() {
        let shares = impatient(THREADS, CONNECTIONS);
        let held = working(&shares, STORMY).await;
        let mut computing = shares.join(STORMY);
        computing.acquire_thread_in_time().await;
        assert!(computing.thread.is_none(), "the thread is in use");
        drop(held);
        computing.acquire_thread_in_time().await;
        assert!(computing.thread.is_some());
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
        let shares = Shares::new(THREADS, CONNECTIONS);
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
        let (shares, notes) = (Shares::new(THREADS, CONNECTIONS), Mutex::default());
        let held = working(&shares, STORMY).await;
        let mut runs = Box::pin(join_all((1..=3).map(|name| note(name, shares.join(STORMY), &notes))));
        assert!((&mut runs).now_or_never().is_none());
        drop(held);
        runs.await;
        assert_eq!(*notes.lock().unwrap(), [1, 2, 3, 1, 2, 3]);
    }

    #[tokio::test]
    async fn shares_keep_the_permit_between_pieces_of_work() {
        let shares = Shares::new(THREADS, CONNECTIONS);
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
        let shares = impatient(THREADS, CONNECTIONS);
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
        let shares = Shares::new(THREADS, CONNECTIONS);
        let held = working(&shares, STORMY).await;
        let mut in_line = Box::pin(working(&shares, STORMY));
        assert!((&mut in_line).now_or_never().is_none());
        drop(held);
        drop(in_line);
        assert!(working(&shares, STORMY).now_or_never().is_some());
    }
}
