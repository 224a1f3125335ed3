//! Who may run now: bounded concurrency, shared fairly between accounts.
//!
//! Every account has a share of its own, one for what answers at once and one for everything else, so that neither a
//! busy account slows another one down, nor slow event handlers use up the room of commands. What passes its lane waits,
//! first come first served, for one of the process's slots, of which background work may take three quarters.
//!
//! Slots say who may be under way, not who computes: handlers that only compute give way every few milliseconds, and
//! many of them in a row would keep everybody else waiting for all their turns. So of an account's handlers only as many
//! are on a thread, or in line for one, as half of the process has; the others of the account take turns with these.
//! What answers at once stands in a line of its own there: whenever a command goes on, it waits for about one turn of
//! what computes in the background, and not for a turn of each.

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

use super::turns::Turns;

/// Handlers of one account that may wait in one lane.
const MAX_WAITING: usize = 32;
/// A command that waited longer is answered by nobody.
const PROMPT_TIMEOUT: Duration = Duration::from_secs(2);
const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(5);
/// What steps back holds its slot meanwhile, so it does not wait for long.
const STEP_BACK_TIMEOUT: Duration = Duration::from_secs(1);
/// An account may use one slot in this many for what answers at once, and as many for everything else.
const ACCOUNT_SHARE: usize = 8;

/// How urgent a handler is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Commands and moderation.
    Prompt,
    /// Keywords, patterns, events, timers, and what was deferred.
    Background,
    /// Server functions, whose callers wait. They run in the share of the background lane and wait in a line of
    /// their own.
    Function,
}

/// The slots of a process. Cheap to clone.
#[derive(Clone)]
pub struct Lanes {
    shared: Arc<Shared>,
}

struct Shared {
    slots: Arc<Semaphore>,
    background: Arc<Semaphore>,
    of_account: usize,
    threads_of_account: usize,
    prompt_wait: Duration,
    accounts: Mutex<HashMap<Uuid, Account>>,
}

struct Account {
    prompt: Arc<Track>,
    background: Arc<Track>,
    functions: Arc<Track>,
    /// How many wait or run; the entry goes with the last.
    users: usize,
}

struct Track {
    /// The account's share; background and functions have one together.
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// On the account's share of the threads: one line for answers, one for the rest.
    turns: Turns,
}

/// The right to run one handler, given back on drop.
#[must_use]
pub struct Slot {
    // Given back in this order: the account's lane opens last.
    slot: OwnedSemaphorePermit,
    background: Option<OwnedSemaphorePermit>,
    _track: OwnedSemaphorePermit,
    turns: Turns,
    user: User,
}

/// The account has too much waiting, or waited for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many handlers of the account are waiting")]
pub struct Overloaded;

impl Lanes {
    /// Lanes for a process that runs `concurrency` handlers at once, on so many threads.
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
    /// When the account's lane is full, or no slot came free in time.
    pub async fn enter(&self, account_id: Uuid, lane: Lane) -> Result<Slot, Overloaded> {
        let longest_wait = match lane {
            Lane::Prompt => self.shared.prompt_wait,
            Lane::Background | Lane::Function => BACKGROUND_TIMEOUT,
        };
        let deadline = Instant::now() + longest_wait;
        let (user, track) = self.join(account_id, lane);
        let waiting = Waiting::begin(&track)?;
        let permit = acquire(&track.permits, deadline).await?;
        let background = match lane {
            Lane::Prompt => None,
            Lane::Background | Lane::Function => Some(acquire(&self.shared.background, deadline).await?),
        };
        let slot = acquire(&self.shared.slots, deadline).await?;
        drop(waiting);
        Ok(Slot { slot, background, _track: permit, turns: track.turns.clone(), user })
    }

    fn join(&self, account_id: Uuid, lane: Lane) -> (User, Arc<Track>) {
        let mut accounts = self.shared.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let account = accounts.entry(account_id).or_insert_with(|| Account::new(&self.shared));
        account.users += 1;
        let track = match lane {
            Lane::Prompt => account.prompt.clone(),
            Lane::Background => account.background.clone(),
            Lane::Function => account.functions.clone(),
        };
        (User { shared: self.shared.clone(), account_id }, track)
    }
}

impl Account {
    fn new(shared: &Shared) -> Self {
        let share = || Arc::new(Semaphore::new(shared.of_account));
        let track = |permits, turns| Arc::new(Track { permits, waiting: AtomicUsize::new(0), turns });
        let [answers, rest] = Turns::lines(shared.threads_of_account);
        let background = share();
        Self {
            prompt: track(share(), answers),
            background: track(background.clone(), rest.clone()),
            functions: track(background, rest),
            users: 0,
        }
    }
}

impl Slot {
    /// The line in which the handler takes its turns on the account's share of the threads.
    pub fn turns(&self) -> Turns {
        self.turns.clone()
    }

    /// Moves on to the background lane: what goes on after an answer was given takes nothing from answers.
    ///
    /// # Errors
    /// When the account's share of background work stays full; the slot is given back.
    pub async fn step_back(self) -> Result<Self, Overloaded> {
        self.step_back_within(STEP_BACK_TIMEOUT).await
    }

    async fn step_back_within(self, wait: Duration) -> Result<Self, Overloaded> {
        if self.background.is_some() {
            return Ok(self);
        }
        let deadline = Instant::now() + wait;
        let shared = self.user.shared.clone();
        let (user, track) = Lanes { shared: shared.clone() }.join(self.user.account_id, Lane::Background);
        let waiting = Waiting::begin(&track)?;
        let permit = acquire(&track.permits, deadline).await?;
        let background = acquire(&shared.background, deadline).await?;
        drop(waiting);
        let turns = track.turns.clone();
        Ok(Self { slot: self.slot, background: Some(background), _track: permit, turns, user })
    }
}

async fn acquire(semaphore: &Arc<Semaphore>, deadline: Instant) -> Result<OwnedSemaphorePermit, Overloaded> {
    match timeout_at(deadline, semaphore.clone().acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        // The semaphores are never closed.
        Ok(Err(_)) | Err(_) => Err(Overloaded),
    }
}

/// Counts itself among those who wait in a lane.
struct Waiting(Arc<Track>);

impl Waiting {
    fn begin(track: &Arc<Track>) -> Result<Self, Overloaded> {
        let waiting = Self(track.clone());
        // Counted before it is looked at, so that two cannot both be the last.
        if track.waiting.fetch_add(1, Ordering::Relaxed) < MAX_WAITING {
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

/// Counts itself among the users of an account's lanes.
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
    async fn a_storm_of_one_account_leaves_room_for_another() {
        let lanes = Lanes::new(16, 4);
        let first = lanes.enter(STORMY, Lane::Background).await.unwrap();
        let second = lanes.enter(STORMY, Lane::Background).await.unwrap();
        let mut third = Box::pin(lanes.enter(STORMY, Lane::Background));
        assert!((&mut third).now_or_never().is_none(), "an eighth of the slots is an account's share");

        assert!(lanes.enter(QUIET, Lane::Background).now_or_never().unwrap().is_ok());
        assert!(lanes.enter(STORMY, Lane::Prompt).now_or_never().unwrap().is_ok());
        drop(first);
        assert!(third.now_or_never().unwrap().is_ok());
        drop(second);
    }

    #[tokio::test]
    async fn functions_and_background_work_of_an_account_share_one_share() {
        let lanes = Lanes::new(16, 4);
        let event = lanes.enter(STORMY, Lane::Background).await.unwrap();
        let function = lanes.enter(STORMY, Lane::Function).await.unwrap();
        let mut more: Vec<_> = [Lane::Background, Lane::Function]
            .into_iter()
            .map(|lane| Box::pin(lanes.enter(STORMY, lane)))
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
    async fn a_storm_in_every_lane_leaves_the_slots_of_others() {
        let lanes = Lanes::new(16, 4);
        let mut storm: Vec<_> = [Lane::Prompt, Lane::Background, Lane::Function]
            .into_iter()
            .flat_map(|lane| (0..20).map(move |_| lane))
            .map(|lane| Box::pin(lanes.enter(STORMY, lane)))
            .collect();
        let running: Vec<_> = storm.iter_mut().filter_map(|enter| enter.now_or_never()).collect();
        assert_eq!(running.len(), 4, "an eighth of the slots for answers and an eighth for the rest");
        // Whoever comes after the storm waits for none of it.
        for lane in [Lane::Prompt, Lane::Background, Lane::Function] {
            let slot = lanes.enter(QUIET, lane).now_or_never();
            assert!(matches!(slot, Some(Ok(_))), "{lane:?}");
        }
    }

    #[tokio::test]
    async fn what_is_deferred_gives_its_place_among_answers_back() {
        let lanes = Lanes::new(16, 4);
        let answers: Vec<_> = join_all((0..2).map(|_| lanes.enter(STORMY, Lane::Prompt))).await;
        assert!(lanes.enter(STORMY, Lane::Prompt).now_or_never().is_none(), "the share is used up");
        let mut deferred = Vec::new();
        for slot in answers {
            deferred.push(slot.unwrap().step_back().now_or_never().unwrap().unwrap());
        }
        let answer = lanes.enter(STORMY, Lane::Prompt).now_or_never().unwrap().unwrap();
        assert!(
            lanes.enter(STORMY, Lane::Background).now_or_never().is_none(),
            "it counts as background work"
        );
        let refused = answer.step_back_within(Duration::ZERO).await;
        assert_eq!(refused.err(), Some(Overloaded), "no more than the share is deferred");
        drop(deferred);
        assert!(lanes.shared.accounts.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn an_account_has_one_share_of_the_threads_and_a_line_of_its_own_for_answers() {
        let lanes = Lanes::new(16, 4);
        let answer = lanes.enter(STORMY, Lane::Prompt).await.unwrap();
        let share = answer.turns().places;
        assert_eq!(share.available_permits(), 2, "half of the threads");
        let event = lanes.enter(STORMY, Lane::Background).await.unwrap().turns();
        let function = lanes.enter(STORMY, Lane::Function).await.unwrap().turns();
        for turns in [&event, &function] {
            assert!(Arc::ptr_eq(&share, &turns.places), "one share, whatever it does");
            assert!(!Arc::ptr_eq(&answer.turns().line, &turns.line));
        }
        assert!(Arc::ptr_eq(&event.line, &function.line));
        let deferred = answer.step_back().await.unwrap();
        assert!(Arc::ptr_eq(&event.line, &deferred.turns().line), "what is deferred is no answer");
        let other = lanes.enter(QUIET, Lane::Function).await.unwrap();
        assert!(!Arc::ptr_eq(&share, &other.turns().places), "every account has its own");
    }

    #[tokio::test]
    async fn background_work_leaves_slots_for_commands() {
        let lanes = Lanes::new(4, 4);
        let accounts = (10..13).map(Uuid::from_u128);
        let running = join_all(accounts.map(|account| lanes.enter(account, Lane::Background))).await;
        assert!(lanes.enter(QUIET, Lane::Background).now_or_never().is_none());
        assert!(lanes.enter(QUIET, Lane::Prompt).now_or_never().unwrap().is_ok());
        drop(running);
    }

    #[tokio::test]
    async fn a_lane_holds_so_many_and_turns_the_next_away_at_once() {
        let lanes = Lanes::new(8, 4);
        let running = lanes.enter(STORMY, Lane::Background).await.unwrap();
        let mut waiting: Vec<_> =
            (0..MAX_WAITING).map(|_| Box::pin(lanes.enter(STORMY, Lane::Background))).collect();
        for wait in &mut waiting {
            assert!(wait.now_or_never().is_none());
        }
        assert_eq!(lanes.enter(STORMY, Lane::Background).now_or_never().unwrap().err(), Some(Overloaded));
        drop(running);
        assert!(waiting.swap_remove(0).await.is_ok());
    }

    #[tokio::test]
    async fn a_command_does_not_wait_for_ever() {
        let lanes = Lanes::with_prompt_wait(1, 4, Duration::from_millis(20));
        let _running = lanes.enter(STORMY, Lane::Prompt).await.unwrap();
        assert_eq!(lanes.enter(QUIET, Lane::Prompt).await.err(), Some(Overloaded));
    }

    #[tokio::test]
    async fn nothing_is_kept_of_accounts_that_are_done() {
        let lanes = Lanes::new(4, 4);
        drop(lanes.enter(STORMY, Lane::Prompt).await.unwrap());
        // One that gave up waiting.
        let running = lanes.enter(STORMY, Lane::Background).await.unwrap();
        let mut waiting = Box::pin(lanes.enter(STORMY, Lane::Background));
        assert!((&mut waiting).now_or_never().is_none());
        drop((waiting, running));
        assert!(lanes.shared.accounts.lock().unwrap().is_empty());
    }
}
