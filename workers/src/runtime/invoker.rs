//! From a trigger to its handler: whether it may run now, with what it sees, and what its result means.

use std::sync::Arc;

use sandbox::{
    Context, Failure, FailureCode, FunctionKind, Limits,
    bot_result::{BotAction, BotResult},
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    api::ApiFailure,
    executor::{Executor, Run, failed},
    feed::{Feed, Install},
    gate::{Admission, BREAKER_FAILURES, BREAKER_PAUSE, Gate},
    lanes::{Lane, Lanes},
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
}

/// What a handler that ran wants done.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The same for every run of the same call, so that its actions happen once.
    pub invocation_id: String,
    pub actions: Vec<BotAction>,
}

impl Invoker {
    /// Runs the handler of a call and answers what it wants done: nothing, when it may not run now, fails or wants
    /// nothing. What went wrong is in the install's telemetry.
    ///
    /// # Errors
    /// When the API stays away from something the handler needs: the job must run again.
    pub async fn run(&self, occasion: Occasion<'_>, call: &Call) -> Result<Wanted, Arc<ApiFailure>> {
        let id = InvocationId::of(occasion.event_id, call);
        let actions = match self.result(occasion, call, &id).await? {
            Some(result) => result.actions,
            None => Vec::new(),
        };
        Ok(Wanted { invocation_id: id.text(), actions })
    }

    async fn result(
        &self,
        occasion: Occasion<'_>,
        call: &Call,
        id: &InvocationId,
    ) -> Result<Option<BotResult>, Arc<ApiFailure>> {
        let slot = match self.lanes.enter(occasion.account_id, lane_of(call.kind)).await {
            Ok(slot) => slot,
            Err(overloaded) => {
                self.refused(call, Refusal::Overloaded, "OVERLOADED", &overloaded.to_string());
                return Ok(None);
            }
        };
        // Looked up only now: it may have been killed while the call was waiting.
        let install = self.feed.install(occasion.account_id, call.install_id);
        let runnable = install.as_ref().and_then(|install| install.runnable.clone());
        let (Some(install), Some(runnable)) = (install, runnable) else {
            self.executor.metrics.refused(Refusal::Disabled);
            return Ok(None);
        };
        let is_test = occasion.source.is_test();
        // A test leaves no count behind.
        let Some(recovering) = (if is_test { Some(false) } else { self.admit(call).await }) else {
            return Ok(None);
        };
        let run = run_of(occasion, call, &install, id);
        let result = self.executor.run(&runnable, run, slot, read_result).await?;
        if !is_test {
            self.conclude(call, &result, recovering).await;
        }
        Ok(result.ok())
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
                    BREAKER_PAUSE.as_secs()
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
    let limits = match lane_of(call.kind) {
        Lane::Prompt => Limits::bot(),
        Lane::Background | Lane::Function => Limits::default(),
    };
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
        is_test: source.is_test(),
    }
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

/// What names an invocation: the event, the install and the trigger that brought them together.
struct InvocationId([u8; 32]);

impl InvocationId {
    fn of(event_id: Uuid, call: &Call) -> Self {
        let mut hash = Sha256::new();
        hash.update(event_id);
        hash.update(call.install_id);
        for part in [call.kind.as_str(), &call.handler, &call.trigger] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    fn text(&self) -> String {
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
