//! Invoker: decides whether a trigger's handler may run now, runs it, and reads its result.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use extension_model::limits::ResolvedLimits;
use sandbox::{
    Context, Failure, FailureCode, FunctionKind, Limits,
    bot_result::{BotAction, BotResult},
};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    api_failure::ApiFailure,
    executor::{Executor, failed, limited},
    feed::{Feed, Install},
    gate::{Admission, BREAKER_COOLDOWN, BREAKER_FAILURES, Gate},
    metrics::Refusal,
    run::Run,
    scheduler::{FairScheduler, Overloaded, Priority},
    triggers::{Call, Source, TriggerKind},
};

/// Runs the handlers of triggers. Cheap to clone.
#[derive(Clone)]
pub struct Invoker {
    /// Feed of installs.
    pub feed: Feed,
    /// Slots for handlers.
    pub scheduler: FairScheduler,
    /// Rate limit and circuit breaker of installs.
    pub gate: Gate,
    /// Runner of handlers.
    pub executor: Executor,
}

/// Cause of handlers' runs.
#[derive(Debug, Clone, Copy)]
pub struct TriggerContext<'a> {
    /// Account of the event.
    pub account_id: Uuid,
    /// Id of the event.
    pub event_id: Uuid,
    /// Content of the event.
    pub source: &'a Source,
    /// Time until which an answer is useful; null for events, which are never too late.
    pub answer_by: Option<DateTime<Utc>>,
}

impl TriggerContext<'_> {
    /// True when it is too late to answer (reference/handlers.md#late-messages).
    pub fn is_late(&self, now: DateTime<Utc>) -> bool {
        self.answer_by.is_some_and(|by| now >= by)
    }

    /// Returns the time after which the result of a call must not be executed: its handler may have begun at
    /// the last moment, and runs within the limits of its extension.
    pub fn act_by(&self, call: &Call, limits: &ResolvedLimits) -> Option<DateTime<Utc>> {
        let answer_by = self.answer_by.filter(|_| call.kind != TriggerKind::Moderate)?;
        Some(answer_by + limited(limits_of(call.kind), limits).wall)
    }

    fn is_late_for(&self, call: &Call, now: DateTime<Utc>) -> bool {
        call.kind != TriggerKind::Moderate && self.is_late(now)
    }
}

/// Reason why an invocation did not finish: its job must run again.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Postponed {
    /// The API is away.
    #[error(transparent)]
    Away(#[from] Arc<ApiFailure>),
    /// No slot became free in time.
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
}

impl Invoker {
    /// Runs the handler of a call and returns the requested actions: none when it may not run now, fails or
    /// requests nothing. Failures are recorded in the install's telemetry. Deferred functions wait for
    /// `delivered`.
    ///
    /// # Errors
    /// `Away` while the handler needs an API that is away; `Overloaded` without a slot for the handler of an
    /// event.
    pub async fn run(
        &self,
        trigger: TriggerContext<'_>,
        call: &Call,
        id: &InvocationId,
        delivered: &CancellationToken,
    ) -> Result<Vec<BotAction>, Postponed> {
        Ok(self.result(trigger, call, id, delivered).await?.map(|result| result.actions).unwrap_or_default())
    }

    async fn result(
        &self,
        trigger: TriggerContext<'_>,
        call: &Call,
        id: &InvocationId,
        delivered: &CancellationToken,
    ) -> Result<Option<BotResult>, Postponed> {
        let slot = match self.scheduler.enter(trigger.account_id, priority_of(call.kind)).await {
            Ok(slot) => slot,
            Err(overloaded) => {
                self.refused(call, Refusal::Overloaded, "OVERLOADED", &overloaded.to_string());
                return if may_come_later(call.kind) { Err(overloaded.into()) } else { Ok(None) };
            }
        };
        if trigger.is_late_for(call, self.executor.clock.now()) {
            self.executor.metrics.refused(Refusal::Late);
            return Ok(None);
        }
        // Read only now: the install may have been killed while the call was waiting.
        let install = self.feed.install(trigger.account_id, call.install_id);
        let runnable = install.as_ref().and_then(|install| install.runnable.clone());
        let (Some(install), Some(runnable)) = (install, runnable) else {
            self.executor.metrics.refused(Refusal::Disabled);
            return Ok(None);
        };
        if let Some(message) = self.executor.stop(&runnable) {
            self.refused(call, Refusal::BudgetReached, "USAGE_BUDGET_REACHED", &message);
            return Ok(None);
        }
        let is_test = trigger.source.is_test();
        let per_minute = self.gate.per_minute(&self.executor.limits.of(install.extension_id));
        let admitted = match is_test {
            true => self.admit_test(call, per_minute).await,
            false => self.admit(call, per_minute).await,
        };
        let Some(recovering) = admitted else { return Ok(None) };
        let run = Run { delivered: delivered.clone(), ..run_of(trigger, call, &install, id) };
        let result = self.executor.run(&runnable, run, slot, read_result).await?;
        if !is_test {
            self.conclude(call, &result, recovering).await;
        }
        match result {
            Ok(result) => Ok(Some(result)),
            Err(failure) if failure.code == FailureCode::Overloaded && may_come_later(call.kind) => {
                Err(Overloaded.into())
            }
            Err(_reported) => Ok(None),
        }
    }

    /// Admits a test, which is counted apart from real events and moves no circuit breaker.
    async fn admit_test(&self, call: &Call, per_minute: u32) -> Option<bool> {
        if self.gate.admit_test(call.install_id, per_minute).await {
            return Some(false);
        }
        let message = format!("more than {per_minute} tests within a minute");
        self.refused(call, Refusal::RateLimited, "RATE_LIMITED", &message);
        None
    }

    /// Admits a call: returns whether the last invocation failed; `None` when this one may not run.
    async fn admit(&self, call: &Call, per_minute: u32) -> Option<bool> {
        match self.gate.admit(call.install_id, per_minute).await {
            Admission::Admitted { recovering } => Some(recovering),
            Admission::RateLimited { first } => {
                self.executor.metrics.refused(Refusal::RateLimited);
                if first {
                    let message = format!("more than {per_minute} invocations within a minute");
                    self.executor.telemetry.problem(call, "RATE_LIMITED", &message, None);
                }
                None
            }
            Admission::Paused => {
                self.executor.metrics.refused(Refusal::BreakerOpen);
                None
            }
        }
    }

    /// Updates the circuit breaker. Failures that are not the handler's fault do not count.
    async fn conclude(&self, call: &Call, result: &Result<BotResult, Failure>, recovering: bool) {
        match result {
            Ok(_) if recovering => self.gate.succeeded(call.install_id).await,
            Err(failure) if failure.code.is_handlers_fault() && self.gate.failed(call.install_id).await => {
                self.executor.metrics.breaker_opened();
                let message = format!(
                    "the install's triggers pause for {} s: {BREAKER_FAILURES} failures in a row",
                    BREAKER_COOLDOWN.as_secs()
                );
                self.executor.telemetry.problem(call, extension_model::feeds::CIRCUIT_OPEN, &message, None);
            }
            Ok(_) | Err(_) => {}
        }
    }

    fn refused(&self, call: &Call, reason: Refusal, error_type: &'static str, message: &str) {
        self.executor.metrics.refused(reason);
        if self.executor.reports.is_due(call.install_id, error_type) {
            self.executor.telemetry.problem(call, error_type, message, None);
        }
    }
}

/// Reads the result of a bot handler.
///
/// # Errors
/// `InvalidResult` with the place of the mistake.
pub(crate) fn read_result(value: serde_json::Value) -> Result<BotResult, Failure> {
    BotResult::parse(&value)
        .map_err(|problem| failed(FailureCode::HandlerError, "InvalidResult", &problem.to_string()))
}

/// Returns the run of a call.
pub(crate) fn run_of(trigger: TriggerContext<'_>, call: &Call, install: &Install, id: &InvocationId) -> Run {
    let source = trigger.source;
    let context = Context {
        auth: source.auth(install.account_id, install.id),
        config: install.config.clone(),
        user: source.user(),
    };
    let limits = limits_of(call.kind);
    let (platform, user) = (source.platform(), source.user_id());
    Run {
        handler: call.handler.clone(),
        kind: FunctionKind::Action,
        context,
        input: call.input.to_json(),
        limits,
        seed: id.seed(),
        invocation_id: id.text(),
        trigger: call.kind.as_str(),
        viewer: platform.zip(user).map(|(platform, user)| format!("{platform}:{user}")),
        platform: platform.map(str::to_owned),
        platform_user_id: user.map(str::to_owned),
        user_id: None,
        is_test: source.is_test(),
        delivered: CancellationToken::new(),
    }
}

fn limits_of(kind: TriggerKind) -> Limits {
    match priority_of(kind) {
        Priority::Prompt => Limits::bot(),
        Priority::Background | Priority::Function => Limits::default(),
    }
}

/// True for triggers that may run later, when there is a slot; an answer to a line may not.
const fn may_come_later(kind: TriggerKind) -> bool {
    matches!(kind, TriggerKind::Event | TriggerKind::Timer)
}

/// Returns the priority: commands and moderation are prompt, everything else runs in the background
/// (reference/handlers.md#fairness).
const fn priority_of(kind: TriggerKind) -> Priority {
    match kind {
        TriggerKind::Moderate | TriggerKind::Command => Priority::Prompt,
        TriggerKind::Keyword | TriggerKind::Pattern | TriggerKind::Event | TriggerKind::Timer => {
            Priority::Background
        }
    }
}

/// Name of an invocation: the hash of event, install and trigger. It is the same for every run of the same
/// call, so that its actions are executed once (reference/handlers.md#at-most-once).
pub struct InvocationId([u8; 32]);

impl InvocationId {
    /// Returns the name of a call for an event.
    pub fn of(event_id: Uuid, call: &Call) -> Self {
        let mut hash = Sha256::new();
        hash.update(event_id);
        hash.update(call.install_id);
        for part in [call.kind.as_str(), &call.handler, &call.trigger] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// Returns the name as hexadecimal text.
    pub fn text(&self) -> String {
        hex::encode(&self.0[..16])
    }

    /// Returns the seed: a second run of the same call draws the same random numbers, so that it requests the
    /// same actions.
    fn seed(&self) -> u64 {
        self.0[16..24].iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triggers::Input;

    fn call(kind: TriggerKind, handler: &str, trigger: &str) -> Call {
        Call {
            install_id: Uuid::from_u128(1),
            handler: handler.into(),
            kind,
            trigger: trigger.to_owned(),
            input: Input::default(),
            cooldown: None,
        }
    }

    #[test]
    fn invocation_id_depends_on_event_and_call_only() {
        let (event, other_event) = (Uuid::from_u128(2), Uuid::from_u128(3));
        let id = |event, call: &Call| InvocationId::of(event, call).text();
        let first = call(TriggerKind::Keyword, "on_word", "gg");
        let again = Call { input: Input::new(serde_json::json!({ "x": 1 })), ..first.clone() };
        assert_eq!(id(event, &first), id(event, &again));
        for (event, call) in [
            (other_event, first.clone()),
            (event, Call { install_id: Uuid::from_u128(9), ..first.clone() }),
            (event, call(TriggerKind::Pattern, "on_word", "gg")),
            (event, call(TriggerKind::Keyword, "on_wor", "dgg")),
            (event, call(TriggerKind::Keyword, "on_word", "ggg")),
        ] {
            assert_ne!(id(event, &call), id(Uuid::from_u128(2), &first));
        }
    }
}
