//! Shares of a pool: connections that one request, one person and one account may hold at once
//! (reference/limits.md#shares-of-one-caller). A caller that waits for the database waits for its own
//! requests and not for those of others.
//!
//! A request starts with [`Request::run`]. From then on every connection that its future borrows counts. Work
//! outside of requests (workers, background tasks) is not counted.
//!
//! Permits have two classes, so that an operation that holds a connection while it borrows a second one never
//! waits for another operation in the same state. The first connection of an operation takes a permit of the
//! first class, a further one the single permit of the second class.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use futures::FutureExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use shared::{Error, Result};

/// Connections that one request may hold.
pub const MAX_PER_REQUEST: usize = 3;
/// Connections of the second class, for a request and for a holder.
const MAX_ADDITIONAL_CONNECTIONS: usize = 1;
/// Longest wait for a permit. The other users of the permit are requests of the same caller, and each of
/// their statements ends within ten seconds.
const SHARE_TIMEOUT: Duration = Duration::from_secs(10);

tokio::task_local! {
    static OPERATION: Operation;
}

/// Operation of a request: a REST request, or a root field of a GraphQL request.
#[derive(Debug, Clone)]
struct Operation {
    request: Arc<Request>,
    /// Connections that the operation holds.
    held: Arc<AtomicUsize>,
}

impl Operation {
    fn of(request: Arc<Request>) -> Self {
        Self { request, held: Arc::default() }
    }
}

/// Owner of a share of a pool.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Holder {
    /// An account.
    Account(Uuid),
    /// A person.
    Person(Uuid),
    /// A key or token without a person behind it.
    Credential(Uuid),
    /// Callers without a credential, by address.
    Address(String),
}

/// Two classes of permits for the same resource.
#[derive(Debug)]
struct Classes {
    first: Arc<Semaphore>,
    further: Arc<Semaphore>,
    held: AtomicUsize,
}

impl Classes {
    /// Creates permits for `max_permits` connections, at least one of each class.
    fn new(max_permits: usize) -> Self {
        let first = max_permits.saturating_sub(MAX_ADDITIONAL_CONNECTIONS).max(1);
        Self {
            first: Arc::new(Semaphore::new(first)),
            further: Arc::new(Semaphore::new(MAX_ADDITIONAL_CONNECTIONS)),
            held: AtomicUsize::new(0),
        }
    }

    async fn acquire(&self, is_further: bool) -> Result<OwnedSemaphorePermit> {
        let class = if is_further { &self.further } else { &self.first };
        let permit = Arc::clone(class).acquire_owned().await;
        permit.map_err(|closed| Error::Internal(closed.to_string()))
    }
}

/// One request: its caller and the connections that it holds.
#[derive(Debug)]
pub struct Request {
    permits: Classes,
    /// `None` for our own services, to which only the limit of a request applies.
    caller: Option<Holder>,
    account: OnceLock<Uuid>,
}

impl Request {
    /// Creates the request of a caller.
    #[must_use]
    pub fn new(caller: Option<Holder>) -> Arc<Self> {
        Arc::new(Self { permits: Classes::new(MAX_PER_REQUEST), caller, account: OnceLock::new() })
    }

    /// Sets the account that the caller was found to belong to. Call it after that check: naming an account
    /// must not use up its share.
    pub fn acts_in(&self, account: Uuid) {
        self.account.get_or_init(|| account);
    }

    /// Counts every connection that a future borrows.
    pub async fn run<T>(self: Arc<Self>, work: impl Future<Output = T>) -> T {
        OPERATION.scope(Operation::of(self), work).await
    }

    fn holders(&self) -> impl Iterator<Item = Holder> {
        let account = self.account.get().copied().map(Holder::Account);
        // The caller first, everywhere: otherwise two requests could wait for each other's second holder.
        self.caller.clone().into_iter().chain(account)
    }
}

/// Counts the connections of a future as those of one operation of the present request. Outside of requests nothing is
/// counted.
pub async fn operation<T>(work: impl Future<Output = T>) -> T {
    match OPERATION.try_with(|present| Operation::of(Arc::clone(&present.request))) {
        Ok(operation) => OPERATION.scope(operation, work).await,
        Err(_outside) => work.await,
    }
}

/// Shares of one pool.
#[derive(Debug)]
pub(super) struct Shares {
    per_holder: usize,
    holders: DashMap<Holder, Arc<Classes>>,
    peaks: Peaks,
    /// True when the last attempt to borrow from the pool failed.
    is_away: AtomicBool,
}

/// Highest numbers of connections held at once since the start of the process.
#[derive(Debug, Default)]
struct Peaks {
    of_request: AtomicUsize,
    of_holder: AtomicUsize,
}

/// Usage of the shares of a pool.
#[derive(Debug, Clone, Copy)]
pub struct ShareState {
    /// Connections that one person, account, key or address may hold.
    pub limit: usize,
    /// Highest number that one of them held at once.
    pub peak: usize,
    /// Highest number that one request held at once, over all pools.
    pub request_peak: usize,
}

impl Shares {
    /// Creates shares of a quarter of a pool each, but at least two: one of each class.
    pub fn new(pool_size: u32) -> Arc<Self> {
        let quarter = usize::try_from(pool_size / 4).unwrap_or(usize::MAX);
        let per_holder = quarter.max(1 + MAX_ADDITIONAL_CONNECTIONS);
        let (holders, peaks, is_away) = (DashMap::new(), Peaks::default(), AtomicBool::new(false));
        Arc::new(Self { per_holder, holders, peaks, is_away })
    }

    /// Usage since the start of the process.
    pub fn state(&self) -> ShareState {
        ShareState {
            limit: self.per_holder,
            peak: self.peaks.of_holder.load(Ordering::SeqCst),
            request_peak: self.peaks.of_request.load(Ordering::SeqCst),
        }
    }

    /// Records whether the pool gave a connection.
    pub fn note<T, E>(&self, borrowed: &Result<T, E>) {
        self.is_away.store(borrowed.is_err(), Ordering::SeqCst);
    }

    /// Takes the right to borrow one connection; `None` outside of requests.
    ///
    /// # Errors
    /// [`Error::Busy`] when the caller's own requests hold all of its share for too long; [`Error::Pool`]
    /// when they do so because the database is away.
    pub async fn enter(self: &Arc<Self>) -> Result<Option<ConnectionPermit>> {
        let Ok(operation) = OPERATION.try_with(Operation::clone) else { return Ok(None) };
        // Most callers find a free permit, and need neither a timer nor a place in a queue.
        let place = match self.place(operation.clone()).now_or_never() {
            Some(place) => place,
            None => Box::pin(self.wait(operation)).await,
        };
        place.map(Some)
    }

    async fn wait(self: &Arc<Self>, operation: Operation) -> Result<ConnectionPermit> {
        match tokio::time::timeout(SHARE_TIMEOUT, self.place(operation)).await {
            Ok(place) => place,
            Err(_elapsed) if self.is_away.load(Ordering::SeqCst) => {
                Err(Error::Pool("others wait for a database that is away".to_owned()))
            }
            Err(_elapsed) => Err(Error::Busy),
        }
    }

    async fn place(self: &Arc<Self>, operation: Operation) -> Result<ConnectionPermit> {
        let Operation { request, held } = operation;
        // Waiting counts for the operation too: when two fields of it run at once, one takes the second
        // class.
        let is_further = held.fetch_add(1, Ordering::SeqCst) > 0;
        let operation = Counted(held);
        let of_request = request.permits.acquire(is_further).await?;
        let mut seats = Vec::with_capacity(2);
        for holder in request.holders() {
            let mut holder_permit = self.holder_permit(holder);
            self.peaks.of_holder.fetch_max(holder_permit.take(is_further).await?, Ordering::SeqCst);
            seats.push(holder_permit);
        }
        let held = request.permits.held.fetch_add(1, Ordering::SeqCst) + 1;
        self.peaks.of_request.fetch_max(held, Ordering::SeqCst);
        Ok(ConnectionPermit { request, _seats: seats, _of_request: of_request, _operation: operation })
    }

    fn holder_permit(self: &Arc<Self>, holder: Holder) -> HolderPermit {
        let classes =
            self.holders.entry(holder.clone()).or_insert_with(|| Arc::new(Classes::new(self.per_holder)));
        HolderPermit { classes: Some(Arc::clone(&classes)), permit: None, shares: Arc::clone(self), holder }
    }
}

/// Count that ends with the value.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Place in the share of one holder, or in the queue for it.
#[derive(Debug)]
struct HolderPermit {
    shares: Arc<Shares>,
    holder: Holder,
    /// `Some` until the value is dropped.
    classes: Option<Arc<Classes>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl HolderPermit {
    /// Waits for a permit and returns the number that the holder has then.
    async fn take(&mut self, is_further: bool) -> Result<usize> {
        let Some(classes) = &self.classes else { return Ok(0) };
        self.permit = Some(classes.acquire(is_further).await?);
        Ok(classes.held.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

impl Drop for HolderPermit {
    fn drop(&mut self) {
        if let Some(classes) = self.classes.take()
            && let Some(permit) = self.permit.take()
        {
            classes.held.fetch_sub(1, Ordering::SeqCst);
            drop(permit);
        }
        // Only the table has the entry: no request holds a permit or waits for one.
        self.shares.holders.remove_if(&self.holder, |_, classes| Arc::strong_count(classes) == 1);
    }
}

/// Right to hold one connection.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    request: Arc<Request>,
    _seats: Vec<HolderPermit>,
    _of_request: OwnedSemaphorePermit,
    _operation: Counted,
}

impl Drop for ConnectionPermit {
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

    /// Holds a connection until the other tasks had the chance to take one too many.
    async fn hold(shares: &Arc<Shares>) {
        let place = shares.enter().await.unwrap();
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        drop(place);
    }

    #[tokio::test]
    async fn shares_bound_a_request_to_three_and_an_account_to_a_quarter() {
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
            MAX_PER_REQUEST - MAX_ADDITIONAL_CONNECTIONS,
            "no operation took a second one"
        );
        join_all((0..20).map(|_| request())).await;
        let state = shares.state();
        assert_eq!((state.limit, state.peak), (8, 7), "{state:?}");
        assert!(state.request_peak <= MAX_PER_REQUEST, "{state:?}");
        assert!(shares.holders.is_empty(), "who holds nothing is forgotten");
    }

    #[tokio::test]
    async fn shares_never_deadlock_operations_with_a_second_connection() {
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
    async fn shares_time_out_one_holder_without_delaying_others() {
        let shares = Shares::new(8);
        let (caller, taken) = (person(), Barrier::new(2));
        let holds = Request::new(caller.clone()).run(async {
            let _place = shares.enter().await.unwrap();
            taken.wait().await;
            // Until all other requests have a result.
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
