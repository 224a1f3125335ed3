//! Steps with regular expressions: they may take a second, so they are evaluated on threads that serve nothing else,
//! and few at the same time (reference/automations.md#regular-expressions). Runs and starts of an account wait for each
//! other: one of another account waits for one evaluation of each account at most, and the short time for which that
//! waits for a thread of its account.

use std::{pin::pin, time::Duration};

use automation_model::machine::{Machine, Step};
use foundation::permits::{Permit, SharedPermits};
use shared::{Error, Result};
use tokio::{
    task::spawn_blocking,
    time::{Instant, timeout},
};
use uuid::Uuid;

use super::shares::Share;

/// Divisor of the threads: this fraction of their number evaluates regular expressions.
const MATCHING_SHARE: usize = 2;
/// Maximum number of evaluations of an account at the same time.
const MAX_CONCURRENT_EVALUATIONS_OF_ACCOUNT: usize = 1;
/// Interval at which a run that waits for its permits checks if it is over.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Time for which a start waits for evaluations of other accounts. With its other waits it is shorter than the timeout of
/// its job.
const OTHERS_TIMEOUT: Duration = Duration::from_secs(20);

/// Permits of the process to evaluate regular expressions.
pub(super) struct Matching {
    permits: SharedPermits<Uuid>,
}

/// Run with its next step.
pub(super) struct Next {
    /// The run.
    pub machine: Machine,
    /// Its step; `None` at the end, and when it is over.
    pub step: Option<Step>,
    /// True when the run was over before its permits were free.
    pub is_over: bool,
    /// Time for which it waited for regular expressions of others.
    pub waited: Duration,
}

impl Matching {
    /// Permits of a process with this number of threads.
    pub fn new(threads: usize) -> Self {
        let max = (threads / MATCHING_SHARE).max(1);
        Self { permits: SharedPermits::new(max, MAX_CONCURRENT_EVALUATIONS_OF_ACCOUNT) }
    }

    /// Takes the next step of a run. It works within the share of its account, however long it takes. One that waits
    /// while `is_over` becomes true takes none.
    ///
    /// # Errors
    /// A panic of the interpreter; the run is resumed when its lease has ended.
    pub async fn next(
        &self,
        share: &mut Share,
        mut machine: Machine,
        is_over: impl Fn() -> bool,
    ) -> Result<Next> {
        if !machine.matches_next() {
            let step = machine.next();
            return Ok(Next { machine, step, is_over: false, waited: Duration::ZERO });
        }
        let began = Instant::now();
        let Some(permit) = self.acquire(share, is_over).await else {
            return Ok(Next { machine, step: None, is_over: true, waited: began.elapsed() });
        };
        let evaluating = on_a_thread(permit, move || {
            let began = Instant::now();
            let step = machine.next();
            (machine, step, began.elapsed())
        });
        let evaluated = evaluating.await;
        let took = began.elapsed();
        share.yield_to_others().await;
        let (machine, step, evaluation) = evaluated?;
        Ok(Next { machine, step, is_over: false, waited: took.saturating_sub(evaluation) })
    }

    /// Waits for the permit of a run, and then for a thread of its account; `None` when the run is over. Runs that wait
    /// for evaluations have no thread, so that their account can do other work. The run has its permit while it waits
    /// for a thread, so that this wait is short.
    async fn acquire(&self, share: &mut Share, is_over: impl Fn() -> bool) -> Option<Permit> {
        let account = share.account();
        share.release();
        let mut permit = pin!(async {
            let permit = self.permits.acquire_untimed(account).await;
            share.acquire_thread_in_time().await;
            permit
        });
        loop {
            if let Ok(acquired) = timeout(CHECK_INTERVAL, permit.as_mut()).await {
                return acquired;
            }
            if is_over() {
                return None;
            }
        }
    }

    /// Evaluates regular expressions of an account; `None` when no permit was free in time. The account's own work has
    /// the shorter time: that of others ends sooner than a start would find its place again. An evaluation that has begun is
    /// not bounded.
    ///
    /// # Errors
    /// A panic of the evaluation.
    pub async fn evaluate<T, E>(
        &self,
        account: Uuid,
        share_timeout: Duration,
        evaluation: E,
    ) -> Result<Option<T>>
    where
        T: Send + 'static,
        E: FnOnce() -> T + Send + 'static,
    {
        let Some(of_account) = self.permits.acquire_share(account, share_timeout).await else {
            return Ok(None);
        };
        let Some(of_all) = self.permits.acquire_of_all(OTHERS_TIMEOUT).await else { return Ok(None) };
        on_a_thread((of_account, of_all), evaluation).await.map(Some)
    }
}

/// Evaluates on a thread. The permits belong to it: the evaluation continues when its caller has stopped to wait.
async fn on_a_thread<P, T, E>(permits: P, evaluation: E) -> Result<T>
where
    P: Send + 'static,
    T: Send + 'static,
    E: FnOnce() -> T + Send + 'static,
{
    let evaluation = move || {
        let _permits = permits;
        evaluation()
    };
    spawn_blocking(evaluation).await.map_err(|panic| Error::Internal(panic.to_string()))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use automation_model::{
        graph::{Edge, Graph, Node, Position},
        machine::{Start, Work},
    };
    use chrono::DateTime;
    use futures::{FutureExt, future::join_all};
    use serde_json::{Value, json};

    use super::*;
    use crate::engine::shares::Shares;

    /// Longer than a test.
    const WAIT: Duration = Duration::from_secs(600);

    /// Run whose first step matches a text.
    fn machine(right: &str) -> Machine {
        let id = Uuid::from_u128;
        let node = |number: u128, r#type: &str, config: Value| Node {
            id: id(number),
            r#type: r#type.to_owned(),
            label: None,
            config,
            position: Position::default(),
            install_id: None,
        };
        let condition = json!({ "left": "hello", "op": "matches", "right": right });
        let nodes = vec![node(1, "manual", json!({})), node(2, "condition", condition)];
        let edge =
            Edge { id: id(3), source_node_id: id(1), source_handle: "out".to_owned(), target_node_id: id(2) };
        let start = Start {
            trigger_node: id(1),
            trigger: Value::Null,
            event: Value::Null,
            user: Value::Null,
            account: Value::Null,
            stream: Value::Null,
            now: DateTime::UNIX_EPOCH,
            timezone: chrono_tz::UTC,
        };
        Machine::new(Graph { nodes, edges: vec![edge] }, start).unwrap()
    }

    fn branch(step: Option<Step>) -> Option<String> {
        match step?.work {
            Work::Decided(outcome) => outcome.branch,
            _ => None,
        }
    }

    #[tokio::test]
    async fn matching_returns_the_steps_of_the_interpreter() {
        let (matching, shares) = (Matching::new(1), Shares::new(2, 16));
        let mut share = shares.join(Uuid::nil());
        for (right, expected) in [("^h.*o$", "true"), ("^x", "false")] {
            let next = matching.next(&mut share, machine(right), || false).await;
            let Next { mut machine, step, .. } = next.unwrap();
            let Some(Work::Decided(outcome)) = step.as_ref().map(|step| step.work.clone()) else {
                panic!("the step is decided: {step:?}")
            };
            assert_eq!(branch(step).as_deref(), Some(expected));
            machine.conclude(outcome);
            assert!(!machine.matches_next(), "no step is left");
            let end = matching.next(&mut share, machine, || false).await.unwrap();
            assert!(end.step.is_none() && !end.is_over);
        }
    }

    #[tokio::test]
    async fn matching_waits_for_a_permit_of_the_process() {
        let (matching, shares) = (Matching::new(2), Shares::new(2, 16));
        let held = matching.permits.acquire_untimed(Uuid::max()).await.unwrap();
        let mut share = shares.join(Uuid::nil());
        let mut waiting = matching.next(&mut share, machine("o"), || false).boxed();
        let waited = timeout(Duration::from_millis(20), waiting.as_mut()).await;
        assert!(waited.is_err(), "the permit is held");
        drop(held);
        let next = waiting.await.unwrap();
        assert!(next.waited >= Duration::from_millis(10), "{:?}", next.waited);
        assert_eq!(branch(next.step).as_deref(), Some("true"));
    }

    #[tokio::test]
    async fn matching_of_a_run_that_is_over_does_not_wait() {
        let (matching, shares) = (Matching::new(2), Shares::new(2, 16));
        let held = matching.permits.acquire_untimed(Uuid::nil()).await.unwrap();
        let mut share = shares.join(Uuid::nil());
        let next = matching.next(&mut share, machine("o"), || true).await.unwrap();
        assert!(next.is_over && next.step.is_none() && next.machine.matches_next());
        drop(held);
        let next = matching.next(&mut share, next.machine, || false).await.unwrap();
        assert_eq!((branch(next.step).as_deref(), next.is_over), (Some("true"), false));
    }

    #[tokio::test]
    async fn matching_leaves_the_thread_of_an_account_to_other_work_while_it_waits() {
        // For an evaluation of its account, and of another one.
        for holder in [Uuid::nil(), Uuid::max()] {
            let (matching, shares) = (Matching::new(2), Shares::new(2, 16));
            let held = matching.permits.acquire_untimed(holder).await.unwrap();
            let mut share = shares.join(Uuid::nil());
            share.work(async {}).await;
            let mut waiting = matching.next(&mut share, machine("o"), || false).boxed();
            assert!((&mut waiting).now_or_never().is_none());
            assert_eq!(shares.join(Uuid::nil()).work(async { "done" }).now_or_never(), Some("done"));
            drop(held);
            assert_eq!(branch(waiting.await.unwrap().step).as_deref(), Some("true"));
        }
    }

    #[tokio::test]
    async fn matching_waits_for_a_thread_of_its_account_and_not_for_long() {
        let (matching, shares) = (Matching::new(2), Shares::new(2, 16));
        let (mut busy, mut share) = (shares.join(Uuid::nil()), shares.join(Uuid::nil()));
        busy.work(async {}).await;
        let mut waiting = matching.acquire(&mut share, || false).boxed();
        assert!((&mut waiting).now_or_never().is_none(), "the thread is in use");
        assert!(timeout(WAIT, waiting).await.unwrap().is_some(), "others wait for its permit");
        drop(busy);
        assert!(matching.acquire(&mut share, || false).now_or_never().flatten().is_some());
        let other = shares.join(Uuid::nil()).work(async {}).now_or_never();
        assert!(other.is_none(), "it has the thread");
    }

    #[tokio::test]
    async fn matching_of_a_caller_ends_its_wait_in_time() {
        let matching = Matching::new(2);
        let held = matching.permits.acquire_share_untimed(Uuid::nil()).await.unwrap();
        let evaluated = matching.evaluate(Uuid::nil(), Duration::from_millis(20), || ()).await;
        assert_eq!(evaluated.unwrap(), None);
        drop(held);
        assert_eq!(matching.evaluate(Uuid::nil(), WAIT, || "done").await.unwrap(), Some("done"));
    }

    #[tokio::test]
    async fn matching_of_a_caller_that_does_not_wait_keeps_its_permit() {
        let matching = Matching::new(2);
        let (release, released) = mpsc::channel::<()>();
        let mut evaluating = matching.evaluate(Uuid::nil(), WAIT, move || released.recv().is_ok()).boxed();
        assert!((&mut evaluating).now_or_never().is_none());
        drop(evaluating);
        assert!(matching.permits.try_acquire(Uuid::max()).is_none(), "the thread still evaluates");
        drop(release);
        assert_eq!(matching.evaluate(Uuid::max(), WAIT, || true).await.unwrap(), Some(true));
    }

    #[tokio::test]
    async fn matching_of_a_busy_account_delays_no_other_by_more_than_one_evaluation() {
        let matching = Matching::new(2);
        let (release, released) = mpsc::channel::<()>();
        let mut first = matching.evaluate(Uuid::nil(), WAIT, move || released.recv().is_ok()).boxed();
        assert!((&mut first).now_or_never().is_none());
        let mut storm: Vec<_> = (0..9).map(|_| matching.evaluate(Uuid::nil(), WAIT, || ()).boxed()).collect();
        assert!(storm.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
        let mut other = matching.evaluate(Uuid::max(), WAIT, || ()).boxed();
        assert!((&mut other).now_or_never().is_none());
        drop(release);
        assert_eq!(first.await.unwrap(), Some(false));
        // Only its own permit is free for the storm.
        assert!((&mut storm[0]).now_or_never().is_none());
        assert_eq!(other.await.unwrap(), Some(()));
        for waiting in storm {
            assert_eq!(waiting.await.unwrap(), Some(()));
        }
    }

    #[tokio::test]
    async fn matching_serves_the_runs_of_several_accounts() {
        let (matching, shares) = (Matching::new(2), Shares::new(2, 16));
        let steps = join_all((0..20_u128).map(|account| {
            let mut share = shares.join(Uuid::from_u128(account % 3));
            let matching = &matching;
            async move { branch(matching.next(&mut share, machine("l+"), || false).await.unwrap().step) }
        }));
        assert!(steps.await.iter().all(|branch| branch.as_deref() == Some("true")));
    }
}
