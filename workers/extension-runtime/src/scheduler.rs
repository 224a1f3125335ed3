//! Scheduler of handlers: bounded concurrency, shared fairly between accounts
//! (reference/jobs.md#shares-of-accounts).
//!
//! Every account has a share of its own, one for prompt answers and one for everything else, so that neither
//! a busy account slows another one down, nor slow event handlers use up the room of commands. A call that
//! passes its account's queue waits, first come first served, for one of the process's slots, of which
//! background work may take three quarters.
//!
//! Slots bound the running handlers, not the computing ones: handlers that only compute yield every few
//! milliseconds, and many of them in a row would delay everybody else by all their time slices. So of an
//! account's handlers at most half as many as the process has threads are on a thread or in line for one; its
//! others share these time slices. Prompt answers have a line of their own there: whenever a command
//! continues, it waits for about one time slice of background work, and not for one of each handler.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};
use uuid::Uuid;

use super::time_slices::TimeSlices;

/// Maximum number of handlers of one account that wait in one queue.
const MAX_WAITING: usize = 32;
/// Maximum wait of a command for a slot; then it is not answered.
const PROMPT_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum wait of background work and functions for a slot.
const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum wait of a handler that moves to the background: it holds its slot meanwhile.
const DEMOTE_TIMEOUT: Duration = Duration::from_secs(1);
/// Divisor of the slots: an account may use this fraction for prompt answers, and as much for everything
/// else.
const ACCOUNT_SHARE: usize = 8;

/// Urgency of a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// Commands and moderation.
    Prompt,
    /// Keywords, patterns, events, timers, and deferred functions.
    Background,
    /// Server functions, whose callers wait. They run in the background share and wait in a queue of their
    /// own.
    Function,
}

/// Slots of a process. Cheap to clone.
#[derive(Clone)]
pub struct FairScheduler {
    shared: Arc<Shared>,
}

struct Shared {
    slots: Arc<Semaphore>,
    background: Arc<Semaphore>,
    of_account: usize,
    threads_of_account: usize,
    prompt_wait: Duration,
    accounts: Mutex<HashMap<Uuid, AccountQueues>>,
}

struct AccountQueues {
    prompt: Arc<PriorityQueue>,
    background: Arc<PriorityQueue>,
    functions: Arc<PriorityQueue>,
    /// Number of handlers that wait or run; the entry is removed with the last.
    users: usize,
}

struct PriorityQueue {
    /// Share of the account; background and functions have one together.
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// Line on the account's share of the threads: one for prompt answers, one for the rest.
    time_slices: TimeSlices,
}

/// Right to run one handler, released on drop.
#[must_use]
pub struct Slot {
    // Fields are dropped in this order: the account's queue opens last.
    slot: OwnedSemaphorePermit,
    background: Option<OwnedSemaphorePermit>,
    _queue: OwnedSemaphorePermit,
    time_slices: TimeSlices,
    user: User,
}

/// Too many handlers of the account wait, or one waited for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many handlers of the account are waiting")]
pub struct Overloaded;

impl FairScheduler {
    /// Returns the slots of a process that runs `concurrency` handlers on `threads` threads.
    pub fn new(concurrency: usize, threads: usize) -> Self {
        Self::with_prompt_wait(concurrency, threads, PROMPT_TIMEOUT)
    }

    fn with_prompt_wait(concurrency: usize, threads: usize, prompt_wait: Duration) -> Self {
        let shared = Shared {
            slots: Arc::new(Semaphore::new(concurrency)),
            background: Arc::new(Semaphore::new((concurrency * 3 / 4).max(1))),
            of_account: (concurrency / ACCOUNT_SHARE).max(1),
            threads_of_account: (threads / 2).max(1),
            prompt_wait,
            accounts: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Waits for the right to run a handler of an account.
    ///
    /// # Errors
    /// A full queue of the account, or no free slot in time.
    pub async fn enter(&self, account_id: Uuid, priority: Priority) -> Result<Slot, Overloaded> {
        let max_wait = match priority {
            Priority::Prompt => self.shared.prompt_wait,
            Priority::Background | Priority::Function => BACKGROUND_TIMEOUT,
        };
        let deadline = Instant::now() + max_wait;
        let (user, queue) = self.join(account_id, priority);
        let waiting = Waiting::begin(&queue)?;
        let permit = acquire(&queue.permits, deadline).await?;
        let background = match priority {
            Priority::Prompt => None,
            Priority::Background | Priority::Function => {
                Some(acquire(&self.shared.background, deadline).await?)
            }
        };
        let slot = acquire(&self.shared.slots, deadline).await?;
        drop(waiting);
        Ok(Slot { slot, background, _queue: permit, time_slices: queue.time_slices.clone(), user })
    }

    fn join(&self, account_id: Uuid, priority: Priority) -> (User, Arc<PriorityQueue>) {
        let mut accounts = self.shared.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let account = accounts.entry(account_id).or_insert_with(|| AccountQueues::new(&self.shared));
        account.users += 1;
        let queue = match priority {
            Priority::Prompt => account.prompt.clone(),
            Priority::Background => account.background.clone(),
            Priority::Function => account.functions.clone(),
        };
        (User { shared: self.shared.clone(), account_id }, queue)
    }
}

impl AccountQueues {
    fn new(shared: &Shared) -> Self {
        let share = || Arc::new(Semaphore::new(shared.of_account));
        let queue = |permits, time_slices| {
            Arc::new(PriorityQueue { permits, waiting: AtomicUsize::new(0), time_slices })
        };
        let [answers, rest] = TimeSlices::lines(shared.threads_of_account);
        let background = share();
        Self {
            prompt: queue(share(), answers),
            background: queue(background.clone(), rest.clone()),
            functions: queue(background, rest),
            users: 0,
        }
    }
}

impl Slot {
    /// Returns the line in which the handler waits for the account's share of the threads.
    pub fn time_slices(&self) -> TimeSlices {
        self.time_slices.clone()
    }

    /// Moves to the background share: work after an answer takes nothing from answers.
    ///
    /// # Errors
    /// A background share of the account that stays full; the slot is released.
    pub async fn demote(self) -> Result<Self, Overloaded> {
        self.demote_within(DEMOTE_TIMEOUT).await
    }

    async fn demote_within(self, wait: Duration) -> Result<Self, Overloaded> {
        if self.background.is_some() {
            return Ok(self);
        }
        let deadline = Instant::now() + wait;
        let shared = self.user.shared.clone();
        let (user, queue) =
            FairScheduler { shared: shared.clone() }.join(self.user.account_id, Priority::Background);
        let waiting = Waiting::begin(&queue)?;
        let permit = acquire(&queue.permits, deadline).await?;
        let background = acquire(&shared.background, deadline).await?;
        drop(waiting);
        let time_slices = queue.time_slices.clone();
        Ok(Self { slot: self.slot, background: Some(background), _queue: permit, time_slices, user })
    }
}

async fn acquire(semaphore: &Arc<Semaphore>, deadline: Instant) -> Result<OwnedSemaphorePermit, Overloaded> {
    match timeout_at(deadline, semaphore.clone().acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        // The semaphores are never closed.
        Ok(Err(_)) | Err(_) => Err(Overloaded),
    }
}

/// Counts itself among the waiting handlers of a queue.
struct Waiting(Arc<PriorityQueue>);

impl Waiting {
    fn begin(queue: &Arc<PriorityQueue>) -> Result<Self, Overloaded> {
        let waiting = Self(queue.clone());
        // Counted before the check, so that two cannot both be the last.
        if queue.waiting.fetch_add(1, Ordering::Relaxed) < MAX_WAITING {
            Ok(waiting)
        } else {
            Err(Overloaded)
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts itself among the users of an account's queues.
struct User {
    shared: Arc<Shared>,
    account_id: Uuid,
}

impl Drop for User {
    fn drop(&mut self) {
        let mut accounts = self.shared.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.get_mut(&self.account_id) {
            account.users -= 1;
            if account.users == 0 {
                accounts.remove(&self.account_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::join_all};

    use super::*;

    const STORMY: Uuid = Uuid::from_u128(1);
    const QUIET: Uuid = Uuid::from_u128(2);

    #[tokio::test]
    async fn scheduler_leaves_room_for_others_in_a_storm_of_one_account() {
        let scheduler = FairScheduler::new(16, 4);
        let first = scheduler.enter(STORMY, Priority::Background).await.unwrap();
        let second = scheduler.enter(STORMY, Priority::Background).await.unwrap();
        let mut third = Box::pin(scheduler.enter(STORMY, Priority::Background));
        assert!((&mut third).now_or_never().is_none(), "an eighth of the slots is an account's share");

        assert!(scheduler.enter(QUIET, Priority::Background).now_or_never().unwrap().is_ok());
        assert!(scheduler.enter(STORMY, Priority::Prompt).now_or_never().unwrap().is_ok());
        drop(first);
        assert!(third.now_or_never().unwrap().is_ok());
        drop(second);
    }

    #[tokio::test]
    async fn scheduler_counts_functions_and_background_work_in_one_share() {
        let scheduler = FairScheduler::new(16, 4);
        let event = scheduler.enter(STORMY, Priority::Background).await.unwrap();
        let function = scheduler.enter(STORMY, Priority::Function).await.unwrap();
        let mut more: Vec<_> = [Priority::Background, Priority::Function]
            .into_iter()
            .map(|priority| Box::pin(scheduler.enter(STORMY, priority)))
            .collect();
        for waits in &mut more {
            assert!(waits.now_or_never().is_none(), "two of sixteen slots, whatever they are used for");
        }
        drop(event);
        assert!(more.remove(0).now_or_never().unwrap().is_ok(), "in the order they came");
        drop(function);
        assert!(more.remove(0).now_or_never().unwrap().is_ok());
    }

    #[tokio::test]
    async fn scheduler_leaves_room_for_others_in_a_storm_of_every_priority() {
        let scheduler = FairScheduler::new(16, 4);
        let mut storm: Vec<_> = [Priority::Prompt, Priority::Background, Priority::Function]
            .into_iter()
            .flat_map(|priority| (0..20).map(move |_| priority))
            .map(|priority| Box::pin(scheduler.enter(STORMY, priority)))
            .collect();
        let running: Vec<_> = storm.iter_mut().filter_map(|enter| enter.now_or_never()).collect();
        assert_eq!(running.len(), 4, "an eighth of the slots for answers and an eighth for the rest");
        // A call after the storm waits for none of it.
        for priority in [Priority::Prompt, Priority::Background, Priority::Function] {
            let slot = scheduler.enter(QUIET, priority).now_or_never();
            assert!(matches!(slot, Some(Ok(_))), "{priority:?}");
        }
    }

    #[tokio::test]
    async fn scheduler_releases_the_prompt_slot_of_demoted_work() {
        let scheduler = FairScheduler::new(16, 4);
        let answers: Vec<_> = join_all((0..2).map(|_| scheduler.enter(STORMY, Priority::Prompt))).await;
        assert!(scheduler.enter(STORMY, Priority::Prompt).now_or_never().is_none(), "the share is used up");
        let mut deferred = Vec::new();
        for slot in answers {
            deferred.push(slot.unwrap().demote().now_or_never().unwrap().unwrap());
        }
        let answer = scheduler.enter(STORMY, Priority::Prompt).now_or_never().unwrap().unwrap();
        assert!(
            scheduler.enter(STORMY, Priority::Background).now_or_never().is_none(),
            "it counts as background work"
        );
        let refused = answer.demote_within(Duration::ZERO).await;
        assert_eq!(refused.err(), Some(Overloaded), "no more than the share is deferred");
        drop(deferred);
        assert!(scheduler.shared.accounts.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn scheduler_shares_threads_per_account_with_a_line_for_prompt_work() {
        let scheduler = FairScheduler::new(16, 4);
        let answer = scheduler.enter(STORMY, Priority::Prompt).await.unwrap();
        let share = answer.time_slices().places;
        assert_eq!(share.available_permits(), 2, "half of the threads");
        let event = scheduler.enter(STORMY, Priority::Background).await.unwrap().time_slices();
        let function = scheduler.enter(STORMY, Priority::Function).await.unwrap().time_slices();
        for time_slices in [&event, &function] {
            assert!(Arc::ptr_eq(&share, &time_slices.places), "one share, whatever it does");
            assert!(!Arc::ptr_eq(&answer.time_slices().line, &time_slices.line));
        }
        assert!(Arc::ptr_eq(&event.line, &function.line));
        let deferred = answer.demote().await.unwrap();
        assert!(Arc::ptr_eq(&event.line, &deferred.time_slices().line), "what is deferred is no answer");
        let other = scheduler.enter(QUIET, Priority::Function).await.unwrap();
        assert!(!Arc::ptr_eq(&share, &other.time_slices().places), "every account has its own");
    }

    #[tokio::test]
    async fn scheduler_leaves_slots_for_prompt_work() {
        let scheduler = FairScheduler::new(4, 4);
        let accounts = (10..13).map(Uuid::from_u128);
        let running = join_all(accounts.map(|account| scheduler.enter(account, Priority::Background))).await;
        assert!(scheduler.enter(QUIET, Priority::Background).now_or_never().is_none());
        assert!(scheduler.enter(QUIET, Priority::Prompt).now_or_never().unwrap().is_ok());
        drop(running);
    }

    #[tokio::test]
    async fn scheduler_refuses_work_above_the_queue_bound_immediately() {
        let scheduler = FairScheduler::new(8, 4);
        let running = scheduler.enter(STORMY, Priority::Background).await.unwrap();
        let mut waiting: Vec<_> =
            (0..MAX_WAITING).map(|_| Box::pin(scheduler.enter(STORMY, Priority::Background))).collect();
        for wait in &mut waiting {
            assert!(wait.now_or_never().is_none());
        }
        assert_eq!(
            scheduler.enter(STORMY, Priority::Background).now_or_never().unwrap().err(),
            Some(Overloaded)
        );
        drop(running);
        assert!(waiting.swap_remove(0).await.is_ok());
    }

    #[tokio::test]
    async fn scheduler_limits_the_wait_of_prompt_work() {
        let scheduler = FairScheduler::with_prompt_wait(1, 4, Duration::from_millis(20));
        let _running = scheduler.enter(STORMY, Priority::Prompt).await.unwrap();
        assert_eq!(scheduler.enter(QUIET, Priority::Prompt).await.err(), Some(Overloaded));
    }

    #[tokio::test]
    async fn scheduler_forgets_accounts_without_work() {
        let scheduler = FairScheduler::new(4, 4);
        drop(scheduler.enter(STORMY, Priority::Prompt).await.unwrap());
        // A call that gave up waiting.
        let running = scheduler.enter(STORMY, Priority::Background).await.unwrap();
        let mut waiting = Box::pin(scheduler.enter(STORMY, Priority::Background));
        assert!((&mut waiting).now_or_never().is_none());
        drop((waiting, running));
        assert!(scheduler.shared.accounts.lock().unwrap().is_empty());
    }
}
