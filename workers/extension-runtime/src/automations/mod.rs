//! Trigger nodes of automations (reference/automations.md): due polls and received webhooks become jobs. A
//! job calls the node's handler, starts the automation with its output, and stores its state for the next
//! call.

pub(crate) mod answer;
mod lease;
mod nodes;
mod polls;
mod registration;

use std::sync::Arc;

use extension_model::feeds::{CIRCUIT_OPEN, FireTrigger, PollState};
use foundation::{
    db::Database,
    jobs::{RunAutomationTrigger, TriggerSource},
    redis::Redis,
};
use sandbox::{Context, Failure, FailureCode, FunctionKind, Limits};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    api::Api,
    api_failure::ApiFailure,
    executor::Executor,
    gate::{Admission, BREAKER_COOLDOWN, BREAKER_FAILURES, Gate},
    metrics::{PollOutcome, Refusal},
    run::Run,
    scheduler::{FairScheduler, Overloaded, Priority},
    telemetry::HandlerRun,
};
use answer::TriggerAnswer;
pub use nodes::Nodes;
use nodes::RunnableNode;
pub use polls::Polls;
use registration::Registration;

/// Name in metrics and logs.
const TRIGGER: &str = "automation";

/// Calls trigger nodes. Cheap to clone.
#[derive(Clone)]
pub struct Automations {
    /// Client of the API.
    pub api: Api,
    /// Pool of Redis connections.
    pub redis: Redis,
    /// Primary database.
    pub database: Database,
    /// Code of the nodes.
    pub nodes: Nodes,
    /// Slots for handlers.
    pub scheduler: FairScheduler,
    /// Rate limit and circuit breaker of installs.
    pub gate: Gate,
    /// Runner of handlers.
    pub executor: Executor,
}

/// Reason why a job must run again.
#[derive(Debug, thiserror::Error)]
pub enum Postponed {
    /// The API is away.
    #[error(transparent)]
    Away(#[from] Arc<ApiFailure>),
    /// No slot became free in time.
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    /// Another process is calling the trigger.
    #[error("the trigger is being asked")]
    Busy,
    /// The install has used up this minute's invocations.
    #[error("the install has used up its invocations of the minute")]
    RateLimited,
    /// The install's triggers are paused.
    #[error("the install's triggers are paused")]
    Paused,
    /// A store failed.
    #[error(transparent)]
    Store(#[from] shared::Error),
}

impl Automations {
    /// Calls the node of a job. A poll that cannot be made in its slot is skipped: another follows. So a
    /// runtime that is short of time calls each trigger less often, and polls do not pile up. A webhook was
    /// acknowledged and is tried again.
    ///
    /// # Errors
    /// The reason why the job must run again.
    pub async fn run(&self, job: &RunAutomationTrigger) -> Result<(), Postponed> {
        if let Some(slot) = job.slot
            && slot.is_over(self.executor.clock.now().timestamp())
        {
            self.executor.metrics.polled(PollOutcome::Late, 1);
            return Ok(());
        }
        let Some(lease) = lease::take(&self.redis, job.registration_id).await? else {
            return self.postponed(job, Postponed::Busy);
        };
        let asked = self.ask(job).await;
        lease.release().await;
        match asked {
            Err(reason @ Postponed::Overloaded(_)) => {
                self.executor.metrics.refused(Refusal::Overloaded);
                self.postponed(job, reason)
            }
            Err(reason @ (Postponed::RateLimited | Postponed::Paused)) => self.postponed(job, reason),
            other => other,
        }
    }

    async fn ask(&self, job: &RunAutomationTrigger) -> Result<(), Postponed> {
        let Some(waiting) = self.registration(job).await? else { return Ok(()) };
        let slot = self.scheduler.enter(waiting.account_id, Priority::Background).await?;
        // Read once there is a slot: the trigger may have been stopped meanwhile.
        let Some(registration) = self.registration(job).await? else { return Ok(()) };
        let Some(node) = self.nodes.of(&registration).await? else {
            self.executor.metrics.refused(Refusal::Disabled);
            return Ok(());
        };
        let ran = HandlerRun {
            install_id: registration.install_id,
            handler: node.handler.clone(),
            trigger: TRIGGER,
        };
        if let Some(message) = self.executor.stop(&node.runnable) {
            self.executor.metrics.refused(Refusal::BudgetReached);
            if self.executor.reports.is_due(registration.install_id, "USAGE_BUDGET_REACHED") {
                self.executor.telemetry.problem(&ran, "USAGE_BUDGET_REACHED", &message, None);
            }
            if matches!(job.source, TriggerSource::Poll) {
                self.executor.metrics.polled(PollOutcome::BudgetReached, 1);
            }
            return Ok(());
        }
        let limits = self.executor.limits.of(node.runnable.extension_id);
        let recovering = self.admit(&ran, self.gate.per_minute(&limits)).await?;
        if let Some(slot) = job.slot {
            self.executor.metrics.poll_called(self.executor.clock.now().timestamp() - slot.begins_at);
        }
        let delivered = CancellationToken::new();
        let _resume_deferred = delivered.clone().drop_guard();
        let run = Run { delivered, ..run_of(job, &registration, &node) };
        let result = self.executor.run(&node.runnable, run, slot, answer::read).await?;
        self.conclude(&ran, &result, recovering).await;
        match result {
            Ok(answer) => self.execute(job, &registration, &ran, answer).await,
            Err(failure) if failure.code == FailureCode::Overloaded => Err(Overloaded.into()),
            // Reported to the developer.
            Err(_reported) => Ok(()),
        }
    }

    /// Returns the current trigger of a job; `None` when it must not be called.
    async fn registration(&self, job: &RunAutomationTrigger) -> shared::Result<Option<Registration>> {
        let registration = registration::read(&self.database, job.registration_id).await?;
        let registration = registration.filter(|found| found.is_on && found.listens_to(&job.source));
        if registration.is_none() {
            self.executor.metrics.refused(Refusal::Disabled);
        }
        Ok(registration)
    }

    /// Executes a result. A state that comes with a fire is stored in the same step: stored earlier, it would
    /// hide from the next attempt what was not fired yet; stored later, the automation could fire twice for
    /// the same change.
    async fn execute(
        &self,
        job: &RunAutomationTrigger,
        registration: &Registration,
        ran: &HandlerRun,
        answer: TriggerAnswer,
    ) -> Result<(), Postponed> {
        let state = answer.state.filter(|state| *state != registration.state);
        let state = state.map(|state| PollState { state });
        let is_kept = match answer.output {
            Some(output) => self.fire(job, registration, output, state.as_ref()).await?,
            None => false,
        };
        match state {
            Some(state) if !is_kept => self.store_state(job.registration_id, ran, &state).await,
            _ => Ok(()),
        }
    }

    /// Starts the automation; true when the state was stored with it.
    async fn fire(
        &self,
        job: &RunAutomationTrigger,
        registration: &Registration,
        output: Value,
        state: Option<&PollState>,
    ) -> Result<bool, Postponed> {
        let registration_id = job.registration_id;
        let fire = FireTrigger {
            install_id: registration.install_id,
            automation_id: registration.automation_id,
            registration_id: Some(registration_id),
            output,
            dedupe_key: job.occurrence.clone(),
            // A state that is too large is refused by itself and does not keep the trigger from firing.
            keep: state.filter(|state| state.fits()).cloned(),
        };
        match self.api.fire(&fire).await {
            Ok(fired) => {
                tracing::debug!(%registration_id, run_id = %fired.run_id, "a trigger fired");
                Ok(fire.keep.is_some())
            }
            // The API reports an output that does not fit; a trigger may have been switched off meanwhile.
            Err(refused @ ApiFailure::Refused { .. }) => {
                tracing::debug!(%registration_id, %refused, "a trigger did not fire");
                Ok(false)
            }
            Err(away) => Err(Arc::new(away).into()),
        }
    }

    async fn store_state(
        &self,
        registration_id: Uuid,
        ran: &HandlerRun,
        state: &PollState,
    ) -> Result<(), Postponed> {
        match self.api.keep_trigger_state(registration_id, state).await {
            Ok(()) => Ok(()),
            Err(ApiFailure::Refused { problem, .. }) => {
                self.executor.telemetry.problem(ran, "INVALID_STATE", &problem, None);
                Ok(())
            }
            Err(away) => Err(Arc::new(away).into()),
        }
    }

    /// Counts the invocation; returns true when the last one failed.
    ///
    /// # Errors
    /// The reason why this one must wait.
    async fn admit(&self, ran: &HandlerRun, per_minute: u32) -> Result<bool, Postponed> {
        match self.gate.admit(ran.install_id, per_minute).await {
            Admission::Admitted { recovering } => Ok(recovering),
            Admission::RateLimited { first } => {
                self.executor.metrics.refused(Refusal::RateLimited);
                if first {
                    let message = format!("more than {per_minute} invocations within a minute");
                    self.executor.telemetry.problem(ran, "RATE_LIMITED", &message, None);
                }
                Err(Postponed::RateLimited)
            }
            Admission::Paused => {
                self.executor.metrics.refused(Refusal::BreakerOpen);
                Err(Postponed::Paused)
            }
        }
    }

    /// Skips the slot of a poll, and postpones a delivery.
    fn postponed(&self, job: &RunAutomationTrigger, reason: Postponed) -> Result<(), Postponed> {
        if matches!(job.source, TriggerSource::Webhook { .. }) {
            return Err(reason);
        }
        let outcome = match reason {
            Postponed::Busy => PollOutcome::Busy,
            Postponed::RateLimited => PollOutcome::RateLimited,
            Postponed::Paused => PollOutcome::Paused,
            _ => PollOutcome::Overloaded,
        };
        self.executor.metrics.polled(outcome, 1);
        Ok(())
    }

    /// Updates the circuit breaker of the install. Failures that are not the handler's fault do not count.
    async fn conclude(&self, ran: &HandlerRun, result: &Result<TriggerAnswer, Failure>, recovering: bool) {
        match result {
            Ok(_) if recovering => self.gate.succeeded(ran.install_id).await,
            Err(failure) if failure.code.is_handlers_fault() && self.gate.failed(ran.install_id).await => {
                self.executor.metrics.breaker_opened();
                let message = format!(
                    "the install's triggers pause for {} s: {BREAKER_FAILURES} failures in a row",
                    BREAKER_COOLDOWN.as_secs()
                );
                self.executor.telemetry.problem(ran, CIRCUIT_OPEN, &message, None);
            }
            Ok(_) | Err(_) => {}
        }
    }
}

fn run_of(job: &RunAutomationTrigger, registration: &Registration, node: &RunnableNode) -> Run {
    let (input, limits) = match &job.source {
        TriggerSource::Poll => (
            json!({ "source": "poll", "state": registration.state, "config": registration.config }),
            Limits::poll(),
        ),
        TriggerSource::Webhook { body, headers } => (
            json!({
                "source": "webhook", "body": body, "headers": headers,
                "state": registration.state, "config": registration.config,
            }),
            Limits::default(),
        ),
    };
    let name = name_of(job);
    Run {
        handler: node.handler.clone(),
        kind: FunctionKind::Action,
        context: Context { auth: auth(registration), config: node.config.clone(), user: None },
        input,
        limits,
        seed: u64::from_be_bytes(name[16..24].try_into().unwrap_or_default()),
        invocation_id: hex::encode(&name[..16]),
        trigger: TRIGGER,
        viewer: None,
        platform: None,
        platform_user_id: None,
        user_id: None,
        is_test: false,
        delivered: CancellationToken::new(),
    }
}

/// Returns `ctx.auth`; no person is behind the call.
fn auth(registration: &Registration) -> Value {
    json!({
        "surface": "automation",
        "accountId": registration.account_id,
        "installId": registration.install_id,
        "role": "anonymous",
        "userId": null,
        "platformUserId": null,
        "platformUserName": null,
    })
}

/// Returns the id of the invocation. It is the same for every attempt at a job, so that its actions are
/// executed once and its random numbers are the same.
fn name_of(job: &RunAutomationTrigger) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(job.registration_id);
    hash.update(&job.occurrence);
    hash.finalize().into()
}

/// Returns the occurrence of a poll.
fn poll_at(registration_id: Uuid, slot: i64) -> String {
    format!("poll:{registration_id}:{slot}")
}
