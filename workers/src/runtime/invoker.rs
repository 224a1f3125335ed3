//! From a trigger to its handler: whether it may run now, with what it sees, and what its result means.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use sandbox::{
    Context, Failure, FailureCode, FunctionKind, Limits,
    bot_result::{BotAction, BotResult},
};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    api::ApiFailure,
    executor::{Executor, Run, failed},
    feed::{Feed, Install},
    gate::{Admission, BREAKER_COOLDOWN, BREAKER_FAILURES, Gate},
    lanes::{Lane, Lanes, Overloaded},
    metrics::Refusal,
    triggers::{Call, Source, TriggerKind},
};

/// Runs what triggers name. Cheap to clone.
#[derive(Clone)]
pub struct Invoker {
    pub feed: Feed,
    pub lanes: Lanes,
    pub gate: Gate,
    pub executor: Executor,
}

/// Why handlers run.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    pub account_id: Uuid,
    pub event_id: Uuid,
    pub source: &'a Source,
    /// When it is too late to answer; events are never too late.
    pub answer_by: Option<DateTime<Utc>>,
}

impl Occasion<'_> {
    /// True when it is too late to answer. Moderation is never too late (specification E, 31).
    pub fn is_late(&self, now: DateTime<Utc>) -> bool {
        self.answer_by.is_some_and(|by| now >= by)
    }

    /// When what the handler of a call wants is not to be carried out any more: it may have begun at the last moment.
    pub fn act_by(&self, call: &Call) -> Option<DateTime<Utc>> {
        let answer_by = self.answer_by.filter(|_| call.kind != TriggerKind::Moderate)?;
        Some(answer_by + limits_of(call.kind).wall)
    }

    fn is_late_for(&self, call: &Call, now: DateTime<Utc>) -> bool {
        call.kind != TriggerKind::Moderate && self.is_late(now)
    }
}

/// Why an invocation did not come to its end: its job must run again.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Postponed {
    #[error(transparent)]
    Away(#[from] Arc<ApiFailure>),
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
}

impl Invoker {
    /// Runs the handler of a call and answers what it wants done: nothing, when it may not run now, fails or wants
    /// nothing. What went wrong is in the install's telemetry. What the handler defers waits for `delivered`.
    ///
    /// # Errors
    /// When the API stays away from something the handler needs, or there is no room for the handler of an event.
    pub async fn run(
        &self,
        occasion: Occasion<'_>,
        call: &Call,
        id: &InvocationId,
        delivered: &CancellationToken,
    ) -> Result<Vec<BotAction>, Postponed> {
        Ok(self.result(occasion, call, id, delivered).await?.map(|result| result.actions).unwrap_or_default())
    }

    async fn result(
        &self,
        occasion: Occasion<'_>,
        call: &Call,
        id: &InvocationId,
        delivered: &CancellationToken,
    ) -> Result<Option<BotResult>, Postponed> {
        let slot = match self.lanes.enter(occasion.account_id, lane_of(call.kind)).await {
            Ok(slot) => slot,
            Err(overloaded) => {
                self.refused(call, Refusal::Overloaded, "OVERLOADED", &overloaded.to_string());
                return if may_come_later(call.kind) { Err(overloaded.into()) } else { Ok(None) };
            }
        };
        if occasion.is_late_for(call, self.executor.clock.now()) {
            self.executor.metrics.refused(Refusal::Late);
            return Ok(None);
        }
        // Looked up only now: it may have been killed while the call was waiting.
        let install = self.feed.install(occasion.account_id, call.install_id);
        let runnable = install.as_ref().and_then(|install| install.runnable.clone());
        let (Some(install), Some(runnable)) = (install, runnable) else {
            self.executor.metrics.refused(Refusal::Disabled);
            return Ok(None);
        };
        let is_test = occasion.source.is_test();
        let admitted = if is_test { self.admit_test(call).await } else { self.admit(call).await };
        let Some(recovering) = admitted else { return Ok(None) };
        let run = Run { delivered: delivered.clone(), ..run_of(occasion, call, &install, id) };
        let result = self.executor.run(&runnable, run, slot, read_result).await?;
        if !is_test {
            self.conclude(call, &result, recovering).await;
        }
        match result {
            Ok(result) => Ok(Some(result)),
            Err(failure) if failure.code == FailureCode::Overloaded && may_come_later(call.kind) => {
                Err(Overloaded.into())
            }
            Err(_told) => Ok(None),
        }
    }

    /// A test is counted apart from what happens, and moves no circuit breaker.
    async fn admit_test(&self, call: &Call) -> Option<bool> {
        if self.gate.admit_test(call.install_id).await {
            return Some(false);
        }
        let message = format!("more than {} tests within a minute", self.gate.per_minute());
        self.refused(call, Refusal::RateLimited, "RATE_LIMITED", &message);
        None
    }

    /// Whether the last invocation failed; `None` when this one may not happen.
    async fn admit(&self, call: &Call) -> Option<bool> {
        match self.gate.admit(call.install_id).await {
            Admission::Admitted { recovering } => Some(recovering),
            Admission::RateLimited { first } => {
                self.executor.metrics.refused(Refusal::RateLimited);
                if first {
                    let message = format!("more than {} invocations within a minute", self.gate.per_minute());
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

    /// Keeps the circuit breaker. Failures that say nothing about the handler do not count.
    async fn conclude(&self, call: &Call, result: &Result<BotResult, Failure>, recovering: bool) {
        match result {
            Ok(_) if recovering => self.gate.succeeded(call.install_id).await,
            Err(failure) if failure.code.is_handlers_fault() && self.gate.failed(call.install_id).await => {
                self.executor.metrics.breaker_opened();
                let message = format!(
                    "the install's triggers pause for {} s: {BREAKER_FAILURES} failures in a row",
                    BREAKER_COOLDOWN.as_secs()
                );
                self.executor.telemetry.problem(call, shared::feeds::CIRCUIT_OPEN, &message, None);
            }
            Ok(_) | Err(_) => {}
        }
    }

    fn refused(&self, call: &Call, reason: Refusal, error_type: &'static str, message: &str) {
        self.executor.metrics.refused(reason);
        if self.executor.told.is_news(call.install_id, error_type) {
            self.executor.telemetry.problem(call, error_type, message, None);
        }
    }
}

fn read_result(value: serde_json::Value) -> Result<BotResult, Failure> {
    BotResult::parse(&value)
        .map_err(|problem| failed(FailureCode::HandlerError, "InvalidResult", &problem.to_string()))
}

fn run_of(occasion: Occasion<'_>, call: &Call, install: &Install, id: &InvocationId) -> Run {
    let source = occasion.source;
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
    match lane_of(kind) {
        Lane::Prompt => Limits::bot(),
        Lane::Background | Lane::Function => Limits::default(),
    }
}

/// What happened still matters when there is room; an answer to a line does not.
const fn may_come_later(kind: TriggerKind) -> bool {
    matches!(kind, TriggerKind::Event | TriggerKind::Timer)
}

/// Commands and moderation are answered at once, the rest when there is room (specification C B3.4).
const fn lane_of(kind: TriggerKind) -> Lane {
    match kind {
        TriggerKind::Moderate | TriggerKind::Command => Lane::Prompt,
        TriggerKind::Keyword | TriggerKind::Pattern | TriggerKind::Event | TriggerKind::Timer => {
            Lane::Background
        }
    }
}

/// What names an invocation: the event, the install and the trigger that brought them together. It is the same for
/// every run of the same call, so that its actions happen once.
pub struct InvocationId([u8; 32]);

impl InvocationId {
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

    pub fn text(&self) -> String {
        hex::encode(&self.0[..16])
    }

    /// A second run of the same call draws the same random numbers, so that it asks for the same actions.
    fn seed(&self) -> u64 {
        self.0[16..24].iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::triggers::Input;

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
    fn an_invocation_is_named_by_everything_that_makes_it_and_nothing_else() {
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
