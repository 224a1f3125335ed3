//! Execution of one run (reference/automations.md#execution).
//!
//! The interpreter is deterministic, so a run is resumed by playing it again over the stored outcomes. Logic
//! is only evaluated; it is written together with the next effect. An effect is stored as begun before it is
//! executed: one that has begun and has no outcome is never repeated.

mod publication;

use std::{collections::HashMap, time::Duration};

use automation_model::{
    graph::Graph,
    machine::{Effect, Ending, Machine, Outcome, Start, Step, StepStatus, Work},
    node_types, triggers,
};
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};
use shared::{Result, catalogue::Feature};
use tokio::time::{Instant, timeout};

use super::{
    Engine,
    claim::{self, Claimed, StoredStep},
    decide::{self, CooldownUse},
    excerpt::{Outputs, storable},
    held::HeldRun,
    shares::Share,
    step_rows,
    store::{self, Change, Progress, StepRow, Written},
};
use crate::effects::{self, RunIdentity};

/// Maximum duration of a run without its delays (reference/automations.md#execution).
pub const MAX_RUN_DURATION: TimeDelta = TimeDelta::seconds(300);
/// Maximum duration of an action; it is longer than the timeouts of the actions themselves.
const ACTION_TIMEOUT: Duration = Duration::from_secs(90);
/// Maximum duration of a node of an extension, whose function may be allowed 120 s.
pub const EXTENSION_TIMEOUT: Duration = Duration::from_secs(150);
/// Number of steps of logic after which they are written, so that readers see them and a cancelled run ends.
const MAX_PENDING_STEPS: usize = 100;

/// Reason why this copy ends with a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outlook {
    /// The run ended with this status.
    Ended(&'static str),
    /// The run is delayed.
    Delayed,
    /// Another copy continues the run, or it was deleted.
    Left,
}

/// Result of a step's work.
enum Worked {
    /// The step has an outcome.
    Concluded(Outcome),
    /// The run is over for this copy.
    Over(Outlook),
}

/// Run in execution.
pub(super) struct Execution<'a> {
    engine: &'a Engine,
    run: &'a Claimed,
    held: &'a HeldRun<'a>,
    /// Share of the account. What waits for something outside is done without its permit.
    share: Share,
    /// Steps that are not written yet.
    pending: Vec<StepRow>,
    /// Begin of this part of the run.
    since: DateTime<Utc>,
    /// Outputs that templates can read.
    outputs: Outputs,
}

impl<'a> Execution<'a> {
    /// Execution of a claimed run.
    pub fn new(engine: &'a Engine, run: &'a Claimed, held: &'a HeldRun<'a>, share: Share) -> Self {
        Self {
            engine,
            run,
            held,
            share,
            pending: Vec::new(),
            since: engine.context.clock.now(),
            outputs: Outputs::default(),
        }
    }

    /// Executes the run until it ends, waits, or this copy stops.
    ///
    /// # Errors
    /// A failure of the database; the run is resumed when its lease has ended.
    pub async fn execute(mut self) -> Result<Outlook> {
        self.publish_begin().await;
        let key = Feature::Automations.key();
        if self.share.work(self.engine.features.is_off(self.run.account_id, key)).await? {
            return self.end("failed", Some(format!("FEATURE_DISABLED: {key}"))).await;
        }
        let mut machine = match machine(self.run) {
            Ok(machine) => machine,
            Err(problem) => return self.end("failed", Some(problem)).await,
        };
        let mut stored = self.stored().await?;
        loop {
            // Stored steps come first: they are published again, and an effect that has begun has an outcome.
            if machine.matches_next()
                && stored.is_empty()
                && let Some(over) = self.interruption().await?
            {
                return Ok(over);
            }
            let (engine, held, is_replayed) = (self.engine, self.held, !stored.is_empty());
            let is_over = || !is_replayed && (held.is_cancelled() || engine.stop.is_cancelled());
            let next = engine.matching.next(&mut self.share, machine, is_over).await?;
            self.since += next.waited;
            if next.is_over {
                return Ok(self.interruption().await?.unwrap_or(Outlook::Left));
            }
            machine = next.machine;
            let Some(step) = next.step else { break };
            let worked = match stored.remove(&step.position) {
                Some(known) => self.replay(&step, known).await?,
                None => match self.interruption().await? {
                    Some(over) => Worked::Over(over),
                    None => self.work(&step).await?,
                },
            };
            match worked {
                Worked::Concluded(outcome) => machine.conclude(outcome),
                Worked::Over(over) => return Ok(over),
            }
        }
        if let Some(over) = self.interruption().await? {
            return Ok(over);
        }
        match machine.ending() {
            Ending::Succeeded => self.end("succeeded", None).await,
            Ending::Failed { error, .. } => self.end("failed", Some(error)).await,
        }
    }

    async fn stored(&mut self) -> Result<HashMap<u32, StoredStep>> {
        if self.run.is_new {
            return Ok(HashMap::new());
        }
        let steps = self.share.work(stored_steps(self.engine, self.run)).await?;
        let numbered = steps.into_iter().filter_map(|step| Some((u32::try_from(step.position).ok()?, step)));
        Ok(numbered.collect())
    }

    /// Takes the outcome of a step from its row.
    async fn replay(&mut self, step: &Step, known: StoredStep) -> Result<Worked> {
        if known.node_id != step.node_id {
            let over = self.end("failed", Some("The run cannot be resumed".to_owned())).await?;
            return Ok(Worked::Over(over));
        }
        let status = StepStatus::parse(&known.status).unwrap_or(StepStatus::Unknown);
        if status != StepStatus::Running {
            self.publish_again(&known, step.position, status).await;
            let StoredStep { result, branch, error, .. } = known;
            let output = result.unwrap_or_default();
            // As in the execution, the outputs of logic are not counted.
            let is_counted = matches!(step.work, Work::Effect(_));
            let output = if is_counted { self.outputs.counted(output) } else { output };
            return Ok(Worked::Concluded(Outcome { status, output, branch, error }));
        }
        if let Work::Delay { seconds } = step.work {
            if self.held.is_cancelled() {
                self.note(step, known.started_at, &cancelled());
                return Ok(Worked::Over(self.end("cancelled", None).await?));
            }
            return self.delay(step, seconds, known.started_at).await;
        }
        let outcome = Outcome::unknown(format!(
            "It is not known if `{}` happened: the service stopped meanwhile",
            step.node_type
        ));
        self.note(step, known.started_at, &outcome);
        Ok(Worked::Concluded(outcome))
    }

    /// Ends or leaves the run where its next step would begin.
    async fn interruption(&mut self) -> Result<Option<Outlook>> {
        if self.held.is_cancelled() {
            return Ok(Some(self.end("cancelled", None).await?));
        }
        if self.busy() >= MAX_RUN_DURATION {
            let limit = MAX_RUN_DURATION.num_seconds();
            let error = format!("The run took longer than {limit} seconds without its delays");
            return Ok(Some(self.end("failed", Some(error)).await?));
        }
        if self.engine.stop.is_cancelled() {
            self.write(Change::Release).await?;
            return Ok(Some(Outlook::Left));
        }
        if self.pending.len() >= MAX_PENDING_STEPS {
            let written = self.write(Change::Continue).await?;
            self.share.yield_to_others().await;
            return Ok((written == Written::Lost).then_some(Outlook::Left));
        }
        Ok(None)
    }

    async fn work(&mut self, step: &Step) -> Result<Worked> {
        let began = self.engine.context.clock.now();
        let outcome = match &step.work {
            Work::Decided(outcome) => outcome.clone(),
            Work::Random { branches } => decide::random(branches),
            Work::Cooldown { global_secs, user_secs, user } => {
                let of = CooldownUse {
                    account: self.run.account_id,
                    node: step.node_id,
                    step: (self.run.id, step.position),
                    global_secs: *global_secs,
                    user_secs: *user_secs,
                    user: user.as_deref(),
                };
                self.share.work_without_connection(decide::cooldown(&self.engine.context.redis, of)).await
            }
            Work::Delay { seconds } => return self.delay(step, *seconds, began).await,
            Work::Effect(effect) => return self.effect(step, effect, began).await,
        };
        self.note(step, began, &outcome);
        Ok(Worked::Concluded(outcome))
    }

    /// Stores the end of a delay and gives the place up, or ends the delay when its time has come.
    async fn delay(&mut self, step: &Step, seconds: u32, began: DateTime<Utc>) -> Result<Worked> {
        let until = began + TimeDelta::seconds(i64::from(seconds));
        if self.engine.context.clock.now() >= until {
            let outcome = Outcome::succeeded(json!({ "seconds": seconds }));
            self.note(step, began, &outcome);
            return Ok(Worked::Concluded(outcome));
        }
        self.pending.push(step_rows::running(step, began));
        let written = self.write(Change::Delay { until }).await?;
        Ok(Worked::Over(if written == Written::Lost { Outlook::Left } else { Outlook::Delayed }))
    }

    /// Executes an effect between the commits of its begin and, with the next steps, of its outcome.
    async fn effect(&mut self, step: &Step, effect: &Effect, began: DateTime<Utc>) -> Result<Worked> {
        if let Some(disabled) = self.disabled(effect).await? {
            self.note(step, began, &disabled);
            return Ok(Worked::Concluded(disabled));
        }
        self.pending.push(step_rows::running(step, began));
        match self.write(Change::Continue).await? {
            Written::Lost => return Ok(Worked::Over(Outlook::Left)),
            Written::Owned { is_cancelled: true } => {
                self.held.cancel();
                self.note(step, began, &cancelled());
                return Ok(Worked::Over(self.end("cancelled", None).await?));
            }
            Written::Owned { is_cancelled: false } => {}
        }
        let mut outcome = self.perform(step, effect).await;
        self.share.yield_to_others().await;
        outcome.output = self.outputs.counted(outcome.output);
        self.note(step, began, &outcome);
        Ok(Worked::Concluded(outcome))
    }

    async fn perform(&mut self, step: &Step, effect: &Effect) -> Outcome {
        let identity = RunIdentity {
            account_id: self.run.account_id,
            automation_id: self.run.automation_id,
            run_id: self.run.id,
            depth: self.run.depth,
            is_test: self.run.is_test,
        };
        let left = (MAX_RUN_DURATION - self.busy()).to_std().unwrap_or_default();
        let began = Instant::now();
        let performing = self.engine.effects.perform(&identity, step.position, effect);
        let performing = timeout(max_duration(effect).min(left), performing);
        let performed = if effects::is_local(effect) {
            self.share.work(performing).await
        } else {
            self.share.release();
            performing.await
        };
        self.engine.metrics.acted(step.node_type, began.elapsed());
        match performed {
            Ok(Ok(done)) => Outcome {
                status: StepStatus::Succeeded,
                output: storable(done.output),
                branch: done.branch,
                error: None,
            },
            Ok(Err(failure)) if failure.unknown => Outcome::unknown(failure.message),
            Ok(Err(failure)) => Outcome::failed(failure.message),
            Err(_elapsed) => Outcome::unknown(format!("`{}` took too long", step.node_type)),
        }
    }

    /// Failure of an action whose feature is off.
    async fn disabled(&mut self, effect: &Effect) -> Result<Option<Outcome>> {
        let Some(key) = node_types::find(effect.r#type).and_then(|node_type| node_type.feature) else {
            return Ok(None);
        };
        let is_off = self.share.work(self.engine.features.is_off(self.run.account_id, key)).await?;
        Ok(is_off.then(|| Outcome::failed(format!("FEATURE_DISABLED: {key}"))))
    }

    /// Notes the outcome of a step for the next write.
    fn note(&mut self, step: &Step, began: DateTime<Utc>, outcome: &Outcome) {
        self.pending.push(step_rows::concluded(step, began, outcome, self.engine.context.clock.now()));
    }

    async fn end(&mut self, status: &'static str, error: Option<String>) -> Result<Outlook> {
        let error = error.map(|error| error.replace('\0', ""));
        let written = self.write(Change::End { status, error: error.clone() }).await?;
        if written == Written::Lost {
            return Ok(Outlook::Left);
        }
        self.publish_end(status, error.as_deref());
        Ok(Outlook::Ended(status))
    }

    /// Writes the pending steps with a change of the run, and publishes the steps that ended.
    async fn write(&mut self, change: Change) -> Result<Written> {
        let steps = step_rows::latest(std::mem::take(&mut self.pending));
        // Before the write: what it stores as begun must not wait.
        self.pace(steps.iter().filter(|step| step.status != StepStatus::Running).count()).await;
        let now = self.engine.context.clock.now();
        let progress = Progress {
            run: self.run,
            steps: &steps,
            busy_ms: self.busy().num_milliseconds(),
            change: &change,
            now,
        };
        let written = store::write(self.engine, &mut self.share, &progress).await?;
        if let Written::Owned { is_cancelled } = written {
            if is_cancelled {
                self.held.cancel();
            }
            self.publish_steps(steps, now);
        }
        Ok(written)
    }

    fn busy(&self) -> TimeDelta {
        TimeDelta::milliseconds(self.run.busy_ms) + (self.engine.context.clock.now() - self.since)
    }
}

async fn stored_steps(engine: &Engine, run: &Claimed) -> Result<Vec<StoredStep>> {
    let mut connection = engine.context.databases.postgres.get().await?;
    claim::stored_steps(&mut connection, run).await
}

/// Interpreter at the begin of a run.
fn machine(run: &Claimed) -> std::result::Result<Machine, String> {
    let graph: Graph = serde_json::from_value(run.graph.clone())
        .map_err(|error| format!("The graph cannot be read: {error}"))?;
    let trigger_node = triggers::entry(&graph, &run.trigger).ok_or("The automation has no such trigger")?;
    let value = |name: &str| run.context.get(name).cloned().unwrap_or_default();
    let account = value("account");
    let timezone = account.get("timezone").and_then(Value::as_str).and_then(|name| name.parse().ok());
    let start = Start {
        trigger_node,
        trigger: run.trigger.clone(),
        event: value("event"),
        user: value("user"),
        account,
        stream: value("stream"),
        now: run.started_at,
        timezone: timezone.unwrap_or(Tz::UTC),
    };
    Machine::new(graph, start)
}

fn max_duration(effect: &Effect) -> Duration {
    if effect.install_id.is_some() { EXTENSION_TIMEOUT } else { ACTION_TIMEOUT }
}

fn cancelled() -> Outcome {
    Outcome { status: StepStatus::Cancelled, ..Outcome::failed("The run was cancelled") }
}
