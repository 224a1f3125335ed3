//! Permits for work that runs or waits in a process, with a share for each holder
//! (reference/limits.md#concurrent-work-of-a-process).

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of shares up to which those without use are not removed.
const MIN_SHARES: usize = 64;

/// Permits of a process for one kind of work. Each holder has a share of them.
#[derive(Debug)]
pub struct SharedPermits<H> {
    all: Arc<Semaphore>,
    max_of_holder: usize,
    shares: Mutex<Shares<H>>,
}

/// Permits of the holders that have or wait for one.
#[derive(Debug)]
struct Shares<H> {
    by_holder: HashMap<H, Arc<Semaphore>>,
    /// Number of shares beyond which those without use are removed.
    max_kept: usize,
}

/// Permit of a holder. Dropping it releases it.
#[derive(Debug)]
pub struct Permit {
    _of_holder: OwnedSemaphorePermit,
    /// `None` while only the holder's share is used.
    of_all: Option<OwnedSemaphorePermit>,
}

impl<H: Eq + Hash> SharedPermits<H> {
    /// Creates a number of permits, of which one holder has at most `max_of_holder` at a time.
    #[must_use]
    pub fn new(max: usize, max_of_holder: usize) -> Self {
        let shares = Shares { by_holder: HashMap::new(), max_kept: MIN_SHARES };
        Self { all: Arc::new(Semaphore::new(max)), max_of_holder, shares: Mutex::new(shares) }
    }

    /// Takes a permit; `None` when all are taken, or all that the holder may have.
    pub fn try_acquire(&self, holder: H) -> Option<Permit> {
        let of_holder = self.share(holder).try_acquire_owned().ok()?;
        let of_all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some(Permit { _of_holder: of_holder, of_all: Some(of_all) })
    }

    /// Waits for a permit; `None` after the timeout. A holder waits for its own permits first, so that its waiting
    /// work takes none of the others.
    pub async fn acquire(&self, holder: H, wait_timeout: Duration) -> Option<Permit> {
        tokio::time::timeout(wait_timeout, self.acquire_untimed(holder)).await.ok().flatten()
    }

    /// Waits for a permit as [`acquire`](Self::acquire) does, however long it takes.
    pub async fn acquire_untimed(&self, holder: H) -> Option<Permit> {
        let of_holder = self.acquire_share_untimed(holder).await?;
        let of_all = self.acquire_of_all_untimed().await?;
        Some(Permit { _of_holder: of_holder, of_all: Some(of_all) })
    }

    /// Waits again for the one of all that [`Permit::release_of_all`] has released; false after the timeout.
    pub async fn restore_of_all(&self, permit: &mut Permit, wait_timeout: Duration) -> bool {
        if permit.of_all.is_none() {
            permit.of_all = self.acquire_of_all(wait_timeout).await;
        }
        permit.of_all.is_some()
    }

    /// Waits for a permit of the holder's share alone; `None` after the timeout. Work that may be done for several
    /// holders together takes one of all with [`acquire_of_all`](Self::acquire_of_all).
    pub async fn acquire_share(&self, holder: H, wait_timeout: Duration) -> Option<OwnedSemaphorePermit> {
        tokio::time::timeout(wait_timeout, self.acquire_share_untimed(holder)).await.ok().flatten()
    }

    /// Waits for a permit of the holder's share alone, however long it takes. The semaphores are never closed, so a
    /// wait without a timeout yields a permit.
    pub async fn acquire_share_untimed(&self, holder: H) -> Option<OwnedSemaphorePermit> {
        self.share(holder).acquire_owned().await.ok()
    }

    /// Waits for one of all permits, of no holder; `None` after the timeout.
    pub async fn acquire_of_all(&self, wait_timeout: Duration) -> Option<OwnedSemaphorePermit> {
        tokio::time::timeout(wait_timeout, self.acquire_of_all_untimed()).await.ok().flatten()
    }

    /// Waits for one of all permits, of no holder, however long it takes.
    async fn acquire_of_all_untimed(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.all).acquire_owned().await.ok()
    }

    fn share(&self, holder: H) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if shares.by_holder.len() > shares.max_kept {
            shares.remove_unused();
        }
        let new = || Arc::new(Semaphore::new(self.max_of_holder));
        Arc::clone(shares.by_holder.entry(holder).or_insert_with(new))
    }
}

impl Permit {
    /// Releases the one of all, and keeps that of the holder's share: the holder's other work still waits.
    pub fn release_of_all(&mut self) {
        self.of_all = None;
    }
}

impl<H: Eq + Hash> Shares<H> {
    /// Removes shares that are neither held nor waited for: they have no other owner. Twice the others may then
    /// be added before the next removal, so that it costs little for each.
    fn remove_unused(&mut self) {
        self.by_holder.retain(|_, share| Arc::strong_count(share) > 1);
        self.max_kept = (self.by_holder.len() * 2).max(MIN_SHARES);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// Longer than the test.
    const WAIT: Duration = Duration::from_secs(600);

    #[test]
    fn try_acquire_has_a_bound_for_each_holder_and_for_all() {
        let permits = SharedPermits::new(5, 2);
        let of = |name: &'static str| permits.try_acquire(name);
        let first = [of("a").unwrap(), of("a").unwrap()];
        assert!(of("a").is_none());
        let others = [of("b").unwrap(), of("b").unwrap(), of("c").unwrap()];
        assert!(of("d").is_none(), "all are taken");
        drop(first);
        drop((of("a").unwrap(), of("d").unwrap()));
        drop(others);
        assert_eq!(permits.all.available_permits(), 5);
    }

    #[tokio::test]
    async fn acquire_waits_for_the_own_share_before_it_takes_one_of_all() {
        let permits = SharedPermits::new(3, 2);
        let held = [permits.try_acquire("a").unwrap(), permits.try_acquire("a").unwrap()];
        let mut waiting: Vec<_> = (0..4).map(|_| permits.acquire("a", WAIT).boxed()).collect();
        for call in &mut waiting {
            assert!(call.now_or_never().is_none(), "it waits for its own");
        }
        let other = permits.acquire("b", WAIT).now_or_never().flatten();
        assert!(other.is_some(), "calls of another holder that wait take none of all");
        assert!(permits.acquire("c", Duration::ZERO).await.is_none(), "after the timeout");
        drop(held);
        let next = [waiting.remove(0).await, waiting.remove(0).await];
        assert!(next.iter().all(Option::is_some), "the first ones that waited");
        assert!(waiting.remove(0).now_or_never().is_none());
    }

    #[tokio::test]
    async fn acquire_share_and_acquire_of_all_are_bounded_apart() {
        let permits = SharedPermits::new(1, 2);
        let own = [permits.acquire_share("a", WAIT).await, permits.acquire_share("a", WAIT).await];
        assert!(own.iter().all(Option::is_some));
        assert!(permits.acquire_share("a", Duration::ZERO).await.is_none());
        let one = permits.acquire_of_all(WAIT).await;
        assert!(one.is_some() && permits.acquire_of_all(Duration::ZERO).await.is_none());
        drop(one);
        assert!(permits.acquire_of_all(Duration::ZERO).await.is_some());
    }

    #[tokio::test]
    async fn release_of_all_lets_others_work_and_keeps_the_share() {
        let permits = SharedPermits::new(1, 1);
        let mut first = permits.acquire_untimed("a").await.unwrap();
        assert!(permits.try_acquire("b").is_none());
        first.release_of_all();
        let other = permits.try_acquire("b").unwrap();
        assert!(permits.try_acquire("a").is_none(), "the own share is in use");
        assert!(!permits.restore_of_all(&mut first, Duration::ZERO).await);
        drop(other);
        assert!(permits.restore_of_all(&mut first, Duration::ZERO).await);
        assert!(permits.try_acquire("b").is_none(), "the one of all is held again");
        assert!(permits.restore_of_all(&mut first, Duration::ZERO).await, "it is not taken twice");
    }

    #[test]
    fn shares_without_use_are_removed() {
        let permits = SharedPermits::new(10, 1);
        let held = permits.try_acquire(0).unwrap();
        for holder in 1..1_000 {
            drop(permits.try_acquire(holder).unwrap());
        }
        let kept = || permits.shares.lock().unwrap().by_holder.len();
        assert!(kept() <= MIN_SHARES + 1, "{}", kept());
        assert!(permits.try_acquire(0).is_none(), "a share in use stays");
        drop(held);
        assert!(permits.try_acquire(0).is_some());
    }
}
