//! Trigger nodes of automations (specification B §4.4, C B3.4, B9.3): what is due to be polled and what came by webhook
//! becomes a job; a job asks the node's handler, fires what it answers, and keeps what it wants to find next time.

mod answer;
mod nodes;
mod polls;
mod registration;
mod turn;

use std::sync::Arc;

use sandbox::{Context, Failure, FailureCode, FunctionKind, Limits};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::{
    db::Database,
    feeds::{CIRCUIT_OPEN, FireTrigger, PollState},
    jobs::{RunAutomationTrigger, TriggerSource},
    redis::Redis,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    api::{Api, ApiFailure},
    executor::{Executor, Run},
    gate::{Admission, BREAKER_COOLDOWN, BREAKER_FAILURES, Gate},
    lanes::{Lane, Lanes, Overloaded},
    metrics::Refusal,
    telemetry::Ran,
};
use answer::TriggerAnswer;
pub use nodes::Nodes;
use nodes::RunnableNode;
pub use polls::Polls;
use registration::Registration;
use turn::Turn;

/// In metrics and logs.
const TRIGGER: &str = "automation";

/// Asks trigger nodes. Cheap to clone.
#[derive(Clone)]
pub struct Automations {
    pub api: Api,
    pub redis: Redis,
    pub database: Database,
    pub nodes: Nodes,
    pub lanes: Lanes,
    pub gate: Gate,
    pub executor: Executor,
}

/// Why a job must run again.
#[derive(Debug, thiserror::Error)]
pub enum Postponed {
    #[error(transparent)]
    Away(#[from] Arc<ApiFailure>),
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    #[error("the trigger is being asked")]
    Busy,
    #[error("the install has used up its invocations of the minute")]
    RateLimited,
    #[error("the install's triggers are paused")]
    Paused,
    #[error(transparent)]
    Store(#[from] shared::Error),
}

impl Automations {
    /// Asks the node of a job. A poll that cannot be made is not made up for: another follows. What came by webhook was
    /// acknowledged and is asked again.
    ///
    /// # Errors
    /// When it has to be asked again.
    pub async fn run(&self, job: &RunAutomationTrigger) -> Result<(), Postponed> {
        let Some(turn) = Turn::take(&self.redis, job.registration_id).await? else {
            return postponed(job, Postponed::Busy);
        };
        let asked = self.ask(job).await;
        turn.give_back().await;
        match asked {
            Err(reason @ Postponed::Overloaded(_)) => {
                self.executor.metrics.refused(Refusal::Overloaded);
                postponed(job, reason)
            }
            Err(reason @ (Postponed::RateLimited | Postponed::Paused)) => postponed(job, reason),
            other => other,
        }
    }

    async fn ask(&self, job: &RunAutomationTrigger) -> Result<(), Postponed> {
        let Some(waiting) = self.registration(job).await? else { return Ok(()) };
        let slot = self.lanes.enter(waiting.account_id, Lane::Background).await?;
        // Read once there is room: it may have been stopped meanwhile.
        let Some(registration) = self.registration(job).await? else { return Ok(()) };
        let Some(node) = self.nodes.of(&registration).await? else {
            self.executor.metrics.refused(Refusal::Disabled);
            return Ok(());
        };
        let ran =
            Ran { install_id: registration.install_id, handler: node.handler.clone(), trigger: TRIGGER };
        let recovering = self.admit(&ran).await?;
        let delivered = CancellationToken::new();
        let _deferred_may_go_on = delivered.clone().drop_guard();
        let run = Run { delivered, ..run_of(job, &registration, &node) };
        let result = self.executor.run(&node.runnable, run, slot, answer::read).await?;
        self.conclude(&ran, &result, recovering).await;
        match result {
            Ok(answer) => self.carry_out(job, &registration, &ran, answer).await,
            Err(failure) if failure.code == FailureCode::Overloaded => Err(Overloaded.into()),
            // The developer is told of it.
            Err(_told) => Ok(()),
        }
    }

    /// The trigger of a job as it stands; `None` when it is not to be asked.
    async fn registration(&self, job: &RunAutomationTrigger) -> shared::Result<Option<Registration>> {
        let registration = registration::read(&self.database, job.registration_id).await?;
        let registration = registration.filter(|found| found.is_on && found.listens_to(&job.source));
        if registration.is_none() {
            self.executor.metrics.refused(Refusal::Disabled);
        }
        Ok(registration)
    }

    /// A state that comes with a fire is kept by the same step: kept before, it would hide from the next attempt what has
    /// not been fired yet; kept afterwards, what happens between two attempts at one occasion.
    async fn carry_out(
        &self,
        job: &RunAutomationTrigger,
        registration: &Registration,
        ran: &Ran,
        answer: TriggerAnswer,
    ) -> Result<(), Postponed> {
        let state = answer.state.filter(|state| *state != registration.state);
        let state = state.map(|state| PollState { state });
        let is_kept = match answer.output {
            Some(output) => self.fire(job, registration, output, state.as_ref()).await?,
            None => false,
        };
        match state {
            Some(state) if !is_kept => self.keep(job.registration_id, ran, &state).await,
            _ => Ok(()),
        }
    }

    /// Answers whether the state was kept with it.
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
            dedupe_key: job.occasion.clone(),
            // One that is too large is refused by itself: it keeps nothing from firing.
            keep: state.filter(|state| state.fits()).cloned(),
        };
        match self.api.fire(&fire).await {
            Ok(fired) => {
                tracing::debug!(%registration_id, run_id = %fired.run_id, "a trigger fired");
                Ok(fire.keep.is_some())
            }
            // An output that does not fit is told by the API; a trigger may have been switched off meanwhile.
            Err(refused @ ApiFailure::Refused { .. }) => {
                tracing::debug!(%registration_id, %refused, "a trigger did not fire");
                Ok(false)
            }
            Err(away) => Err(Arc::new(away).into()),
        }
    }

    async fn keep(&self, registration_id: Uuid, ran: &Ran, state: &PollState) -> Result<(), Postponed> {
        match self.api.keep_trigger_state(registration_id, state).await {
            Ok(()) => Ok(()),
            Err(ApiFailure::Refused { problem, .. }) => {
                self.executor.telemetry.problem(ran, "INVALID_STATE", &problem, None);
                Ok(())
            }
            Err(away) => Err(Arc::new(away).into()),
        }
    }

    /// Counts the invocation and answers whether the last one failed.
    ///
    /// # Errors
    /// When this one may not happen yet.
    async fn admit(&self, ran: &Ran) -> Result<bool, Postponed> {
        match self.gate.admit(ran.install_id).await {
            Admission::Admitted { recovering } => Ok(recovering),
            Admission::RateLimited { first } => {
                self.executor.metrics.refused(Refusal::RateLimited);
                if first {
                    let message = format!("more than {} invocations within a minute", self.gate.per_minute());
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

    /// Keeps the circuit breaker of the install. Failures that say nothing about the handler do not count.
    async fn conclude(&self, ran: &Ran, result: &Result<TriggerAnswer, Failure>, recovering: bool) {
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

fn postponed(job: &RunAutomationTrigger, reason: Postponed) -> Result<(), Postponed> {
    match job.source {
        TriggerSource::Poll => Ok(()),
        TriggerSource::Webhook { .. } => Err(reason),
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

/// Nobody is behind it.
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

/// The same for every attempt at a job, so that its actions happen once and its random numbers are the same.
fn name_of(job: &RunAutomationTrigger) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(job.registration_id);
    hash.update(&job.occasion);
    hash.finalize().into()
}

/// The occasion of a poll.
fn poll_at(registration_id: Uuid, slot: i64) -> String {
    format!("poll:{registration_id}:{slot}")
}
