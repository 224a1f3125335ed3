//! Shares of a pool: how many connections one request, one person and one account may hold at once (specification E,
//! 6), so that whoever waits for the database waits for its own requests and not for those of others.
//!
//! A request announces itself with [`Request::run`]; from then on every connection that its future borrows counts. What
//! runs beside requests (workers, background tasks) is not counted.
//!
//! Permits are of two classes, so that an operation that holds a connection while it borrows a second one never waits
//! for somebody who waits in the same way: the first connection of an operation takes a permit of the first class, a
//! further one the single permit of the second class.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::{Error, Result};

/// Connections that one request may hold.
pub const MAX_PER_REQUEST: usize = 3;
/// Connections of the second class of a request and of a holder.
const MAX_FURTHER: usize = 1;
/// Longest wait for those who share a permit. They are the caller's own requests, each statement of which ends within
/// ten seconds.
const SHARE_TIMEOUT: Duration = Duration::from_secs(10);

tokio::task_local! {
    static REQUEST: Arc<Request>;
    /// Connections that the operation holds: a REST request, or a root field of a GraphQL request.
    static OPERATION: Arc<AtomicUsize>;
}

/// Whoever has a share of a pool.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Holder {
    Account(Uuid),
    Person(Uuid),
    /// A key or token without a person behind it.
    Credential(Uuid),
    /// Callers without a credential, by their address.
    Address(String),
}

/// Two classes of permits for the same thing.
#[derive(Debug)]
struct Classes {
    first: Arc<Semaphore>,
    further: Arc<Semaphore>,
    held: AtomicUsize,
}

impl Classes {
    /// Permits for `most` connections, at least one of each class.
    fn new(most: usize) -> Self {
        let first = most.saturating_sub(MAX_FURTHER).max(1);
        Self {
            first: Arc::new(Semaphore::new(first)),
            further: Arc::new(Semaphore::new(MAX_FURTHER)),
            held: AtomicUsize::new(0),
        }
    }

    async fn acquire(&self, is_further: bool) -> Result<OwnedSemaphorePermit> {
        let class = if is_further { &self.further } else { &self.first };
        let permit = Arc::clone(class).acquire_owned().await;
        permit.map_err(|closed| Error::Internal(closed.to_string()))
    }
}

/// One request: who asks, and what it holds.
#[derive(Debug)]
pub struct Request {
    permits: Classes,
    /// `None` for our own services, of which only a request's own limit is kept.
    caller: Option<Holder>,
    account: OnceLock<Uuid>,
}

impl Request {
    /// A request of a caller.
    #[must_use]
    pub fn new(caller: Option<Holder>) -> Arc<Self> {
        Arc::new(Self { permits: Classes::new(MAX_PER_REQUEST), caller, account: OnceLock::new() })
    }

    /// Names the account that the caller was found to belong to. Not before: whoever only names an account must not use
    /// its share up.
    pub fn acts_in(&self, account: Uuid) {
        self.account.get_or_init(|| account);
    }

    /// Counts every connection that a future borrows.
    pub async fn run<T>(self: Arc<Self>, work: impl Future<Output = T>) -> T {
        REQUEST.scope(self, operation(work)).await
    }

    fn holders(&self) -> impl Iterator<Item = Holder> {
        let account = self.account.get().copied().map(Holder::Account);
        // The caller first, everywhere: two that wait for each other's second holder cannot be.
        self.caller.clone().into_iter().chain(account)
    }
}

/// Counts the connections of a future as those of one operation.
pub async fn operation<T>(work: impl Future<Output = T>) -> T {
    OPERATION.scope(Arc::default(), work).await
}

/// The shares of one pool.
#[derive(Debug)]
pub(super) struct Shares {
    per_holder: usize,
    holders: DashMap<Holder, Arc<Classes>>,
    peaks: Peaks,
    /// Whether the pool gave no connection the last time that it was asked.
    is_away: AtomicBool,
}

/// The most connections that were held at once, since the start of the process.
#[derive(Debug, Default)]
struct Peaks {
    of_request: AtomicUsize,
    of_holder: AtomicUsize,
}

/// How the shares of a pool were used.
#[derive(Debug, Clone, Copy)]
pub struct ShareState {
    /// Connections that one person, account, key or address may hold.
    pub limit: usize,
    /// The most that one of them held at once.
    pub peak: usize,
    /// The most that one request held at once, of all pools.
    pub request_peak: usize,
}

impl Shares {
    /// Shares of a quarter of a pool each, but of two at least: one of each class.
    pub fn new(pool_size: u32) -> Arc<Self> {
        let quarter = usize::try_from(pool_size / 4).unwrap_or(usize::MAX);
        let per_holder = quarter.max(1 + MAX_FURTHER);
        let (holders, peaks, is_away) = (DashMap::new(), Peaks::default(), AtomicBool::new(false));
        Arc::new(Self { per_holder, holders, peaks, is_away })
    }

    pub fn state(&self) -> ShareState {
        ShareState {
            limit: self.per_holder,
            peak: self.peaks.of_holder.load(Ordering::SeqCst),
            request_peak: self.peaks.of_request.load(Ordering::SeqCst),
        }
    }

    /// Notes whether the pool gave a connection.
    pub fn note<T, E>(&self, borrowed: Result<T, E>) -> Result<T, E> {
        self.is_away.store(borrowed.is_err(), Ordering::SeqCst);
        borrowed
    }

    /// The right to borrow one connection; `None` outside of requests.
    ///
    /// # Errors
    /// [`Error::Busy`] when the caller's own requests hold all of its share for too long; [`Error::Pool`] when they do so
    /// because the database is away.
    pub async fn enter(self: &Arc<Self>) -> Result<Option<Place>> {
        let Ok(request) = REQUEST.try_with(Arc::clone) else { return Ok(None) };
        let operation = OPERATION.try_with(Arc::clone).unwrap_or_default();
        let entered = tokio::time::timeout(SHARE_TIMEOUT, self.place(request, operation)).await;
        match entered {
            Ok(place) => place.map(Some),
            Err(_elapsed) if self.is_away.load(Ordering::SeqCst) => {
                Err(Error::Pool("others wait for a database that is away".to_owned()))
            }
            Err(_elapsed) => Err(Error::Busy),
        }
    }

    async fn place(self: &Arc<Self>, request: Arc<Request>, operation: Arc<AtomicUsize>) -> Result<Place> {
        // The operation counts what it waits for too: of two fields beneath it that run at once, one takes the second class.
        let is_further = operation.fetch_add(1, Ordering::SeqCst) > 0;
        let operation = Counted(operation);
        let of_request = request.permits.acquire(is_further).await?;
        let mut seats = Vec::with_capacity(2);
        for holder in request.holders() {
            let mut seat = self.seat(holder);
            self.peaks.of_holder.fetch_max(seat.take(is_further).await?, Ordering::SeqCst);
            seats.push(seat);
        }
        let held = request.permits.held.fetch_add(1, Ordering::SeqCst) + 1;
        self.peaks.of_request.fetch_max(held, Ordering::SeqCst);
        Ok(Place { request, _seats: seats, _of_request: of_request, _operation: operation })
    }

    fn seat(self: &Arc<Self>, holder: Holder) -> Seat {
        let classes =
            self.holders.entry(holder.clone()).or_insert_with(|| Arc::new(Classes::new(self.per_holder)));
        Seat { classes: Some(Arc::clone(&classes)), permit: None, shares: Arc::clone(self), holder }
    }
}

/// A count that ends with what was counted.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A place in the share of one holder, or in the line for it.
#[derive(Debug)]
struct Seat {
    shares: Arc<Shares>,
    holder: Holder,
    /// There until the end.
    classes: Option<Arc<Classes>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Seat {
    /// Waits for a permit and answers how many the holder has then.
    async fn take(&mut self, is_further: bool) -> Result<usize> {
        let Some(classes) = &self.classes else { return Ok(0) };
        self.permit = Some(classes.acquire(is_further).await?);
        Ok(classes.held.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(classes) = self.classes.take()
            && let Some(permit) = self.permit.take()
        {
            classes.held.fetch_sub(1, Ordering::SeqCst);
            drop(permit);
        }
        // Only the table knows it: nobody holds or waits.
        self.shares.holders.remove_if(&self.holder, |_, classes| Arc::strong_count(classes) == 1);
    }
}

/// The right to hold one connection.
#[derive(Debug)]
pub(super) struct Place {
    request: Arc<Request>,
    _seats: Vec<Seat>,
    _of_request: OwnedSemaphorePermit,
    _operation: Counted,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.request.permits.held.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;
    use tokio::sync::Barrier;

    use super::*;

    fn person() -> Option<Holder> {
        Some(Holder::Person(Uuid::now_v7()))
    }

    /// Holds a connection until others had their turn to take one too many.
    async fn hold(shares: &Arc<Shares>) {
        let place = shares.enter().await.unwrap();
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        drop(place);
    }

    #[tokio::test]
    async fn a_request_holds_three_at_most_and_an_account_a_quarter() {
        let shares = Shares::new(32);
        let account = Uuid::now_v7();
        let request = async || {
            let request = Request::new(person());
            request.acts_in(account);
            request.run(join_all((0..40).map(|_| operation(hold(&shares))))).await;
        };
        request().await;
        assert_eq!(
            shares.state().request_peak,
            MAX_PER_REQUEST - MAX_FURTHER,
            "no operation took a second one"
        );
        join_all((0..20).map(|_| request())).await;
        let state = shares.state();
        assert_eq!((state.limit, state.peak), (8, 7), "{state:?}");
        assert!(state.request_peak <= MAX_PER_REQUEST, "{state:?}");
        assert!(shares.holders.is_empty(), "who holds nothing is forgotten");
    }

    #[tokio::test]
    async fn operations_that_hold_one_and_take_a_second_never_wait_for_each_other() {
        for pool_size in [1, 2, 4, 8, 16] {
            let (shares, other) = (Shares::new(pool_size), Shares::new(pool_size));
            let nested = async || {
                let _first = shares.enter().await.unwrap();
                tokio::task::yield_now().await;
                let _second = other.enter().await.unwrap();
                tokio::task::yield_now().await;
            };
            let caller = person();
            let request = async || {
                Request::new(caller.clone()).run(join_all((0..10).map(|_| operation(nested())))).await;
            };
            join_all((0..10).map(|_| request())).await;
            assert!(shares.state().request_peak <= MAX_PER_REQUEST);
            assert!(other.state().peak <= other.state().limit);
        }
    }

    #[tokio::test]
    async fn whoever_waits_too_long_for_its_own_requests_is_told_so_and_others_do_not_wait() {
        let shares = Shares::new(8);
        let (caller, taken) = (person(), Barrier::new(2));
        let holds = Request::new(caller.clone()).run(async {
            let _place = shares.enter().await.unwrap();
            taken.wait().await;
            // Until everybody else has an answer.
            taken.wait().await;
        });
        let waits = async {
            taken.wait().await;
            let refused = Request::new(caller.clone()).run(shares.enter()).await;
            assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
            let bystander = Request::new(person()).run(shares.enter()).await;
            assert!(matches!(bystander, Ok(Some(_))), "{bystander:?}");
            assert!(matches!(shares.enter().await, Ok(None)), "what is no request is not counted");
            taken.wait().await;
        };
        tokio::join!(holds, waits);
        assert!(shares.holders.is_empty());
    }
}
