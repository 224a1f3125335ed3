//! Steps with regular expressions: they may take a second, so they are evaluated on threads that serve nothing else,
//! and few at the same time (reference/automations.md#regular-expressions).

use automation_model::machine::{Machine, Step};
use shared::{Error, Result};
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::shares::Share;

/// Divisor of the threads: this fraction of their number evaluates regular expressions.
const MATCHING_SHARE: usize = 2;

/// Permits of the process to evaluate regular expressions.
pub(super) struct Matching {
    permits: Semaphore,
}

impl Matching {
    /// Permits of a process with this number of threads.
    pub fn new(threads: usize) -> Self {
        Self { permits: Semaphore::new((threads / MATCHING_SHARE).max(1)) }
    }

    /// Takes the next step of a run. It works within the share of its account, however long it takes.
    ///
    /// # Errors
    /// A panic of the interpreter; the run is resumed when its lease has ended.
    pub async fn next(&self, share: &mut Share, mut machine: Machine) -> Result<(Machine, Option<Step>)> {
        if !machine.matches_next() {
            let step = machine.next();
            return Ok((machine, step));
        }
        let evaluating = self.evaluate(move || {
            let step = machine.next();
            (machine, step)
        });
        let evaluated = share.compute(evaluating).await;
        share.yield_to_others().await;
        evaluated
    }

    /// Evaluates regular expressions.
    ///
    /// # Errors
    /// A panic of the evaluation.
    pub async fn evaluate<T, E>(&self, evaluation: E) -> Result<T>
    where
        T: Send + 'static,
        E: FnOnce() -> T + Send + 'static,
    {
        let _permit = self.permits.acquire().await;
        spawn_blocking(evaluation).await.map_err(|panic| Error::Internal(panic.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use automation_model::{
        graph::{Edge, Graph, Node, Position},
        machine::{Start, Work},
    };
    use chrono::DateTime;
    use futures::{FutureExt, future::join_all};
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::engine::shares::Shares;

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
        let (matching, shares) = (Matching::new(1), Shares::new(2));
        let mut share = shares.join(Uuid::nil());
        for (right, expected) in [("^h.*o$", "true"), ("^x", "false")] {
            let (mut machine, step) = matching.next(&mut share, machine(right)).await.unwrap();
            let Some(Work::Decided(outcome)) = step.as_ref().map(|step| step.work.clone()) else {
                panic!("the step is decided: {step:?}")
            };
            assert_eq!(branch(step).as_deref(), Some(expected));
            machine.conclude(outcome);
            assert!(!machine.matches_next(), "no step is left");
            assert!(matching.next(&mut share, machine).await.unwrap().1.is_none());
        }
    }

    #[tokio::test]
    async fn matching_waits_for_a_permit_of_the_process() {
        let (matching, shares) = (Matching::new(2), Shares::new(2));
        let held = matching.permits.acquire().await.unwrap();
        let mut share = shares.join(Uuid::nil());
        let mut waiting = matching.next(&mut share, machine("o")).boxed();
        let waited = tokio::time::timeout(Duration::from_millis(20), waiting.as_mut()).await;
        assert!(waited.is_err(), "the permit is held");
        drop(held);
        assert_eq!(branch(waiting.await.unwrap().1).as_deref(), Some("true"));
    }

    #[tokio::test]
    async fn matching_serves_the_runs_of_several_accounts() {
        let (matching, shares) = (Matching::new(2), Shares::new(2));
        let steps = join_all((0..20_u128).map(|account| {
            let mut share = shares.join(Uuid::from_u128(account % 3));
            let matching = &matching;
            async move { branch(matching.next(&mut share, machine("l+")).await.unwrap().1) }
        }));
        assert!(steps.await.iter().all(|branch| branch.as_deref() == Some("true")));
    }
}
