//! One handler, run once: whether it may, with what it sees, and what is told about it afterwards.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use moka::sync::Cache;
use sandbox::{
    Context, Failure, FailureCode, Invocation, Limits,
    bot_result::{BotAction, BotResult},
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    api::ApiFailure,
    egress::Egress,
    feed::{Feed, Install},
    gate::{Admission, BREAKER_FAILURES, BREAKER_PAUSE, Gate},
    host::InvocationHost,
    lanes::{Lane, Lanes},
    metrics::{Refusal, RuntimeMetrics},
    modules::{self, Modules},
    secrets::SecretStore,
    telemetry::Telemetry,
    triggers::{Call, Source, TriggerKind},
};

/// How long the same problem of an install or a version is not told again.
const TOLD_EVERY: Duration = Duration::from_secs(60);
const MOST_TOLD: u64 = 10_000;

/// Runs handlers. Cheap to clone.
#[derive(Clone)]
pub struct Invoker {
    pub feed: Feed,
    pub lanes: Lanes,
    pub gate: Gate,
    pub modules: Modules,
    pub secrets: SecretStore,
    pub egress: Egress,
    pub telemetry: Telemetry,
    pub metrics: RuntimeMetrics,
    pub told: Told,
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

/// Problems that were told lately. Cheap to clone.
#[derive(Clone)]
pub struct Told {
    lately: Cache<(Uuid, &'static str), ()>,
    /// Installs and their versions that do not load.
    broken: Cache<(Uuid, Uuid), ()>,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            lately: Cache::builder().max_capacity(MOST_TOLD).time_to_live(TOLD_EVERY).build(),
            broken: Cache::builder().max_capacity(MOST_TOLD).time_to_live(TOLD_EVERY).build(),
        }
    }
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
        let Some(install) = self.feed.install(occasion.account_id, call.install_id) else {
            self.metrics.refused(Refusal::Disabled);
            return Ok(None);
        };
        let Some(source) = &install.source else {
            self.metrics.refused(Refusal::Disabled);
            return Ok(None);
        };
        let Some(recovering) = self.admit(call).await else { return Ok(None) };
        let result = self.invoke(occasion, call, (&install, source), id).await?;
        drop(slot);
        self.conclude(call, &result, recovering).await;
        Ok(result.ok())
    }

    /// Whether the last invocation failed; `None` when this one may not happen.
    async fn admit(&self, call: &Call) -> Option<bool> {
        match self.gate.admit(call.install_id).await {
            Admission::Admitted { recovering } => Some(recovering),
            Admission::RateLimited { first } => {
                self.metrics.refused(Refusal::RateLimited);
                if first {
                    let message = format!("more than {} invocations within a minute", self.gate.per_minute());
                    self.telemetry.problem(call, "RATE_LIMITED", &message, None);
                }
                None
            }
            Admission::Paused => {
                self.metrics.refused(Refusal::BreakerOpen);
                None
            }
        }
    }

    async fn invoke(
        &self,
        occasion: Occasion<'_>,
        call: &Call,
        (install, source): (&Install, &modules::Source),
        id: &InvocationId,
    ) -> Result<Result<BotResult, Failure>, Arc<ApiFailure>> {
        let started = Instant::now();
        let module = match self.modules.get(source).await {
            Ok(module) => module,
            Err(failure) => {
                self.does_not_load(call, source.version_id, &failure, started.elapsed());
                return Ok(Err(Failure::clone(&failure)));
            }
        };
        let secrets = match self.secrets.of(install.extension_id).await {
            Ok(secrets) => secrets,
            Err(failure) if matches!(*failure, ApiFailure::Refused { .. }) => {
                tracing::error!(extension_id = %install.extension_id, %failure, "the secrets of an extension");
                let failure = Failure {
                    code: FailureCode::Internal,
                    name: "SecretsUnavailable".to_owned(),
                    message: "the secrets cannot be read".to_owned(),
                    stack: None,
                };
                self.metrics.invoked(call.kind, failure.code.as_str(), started.elapsed());
                self.tell(call, "SECRETS_UNAVAILABLE", &failure.message);
                return Ok(Err(failure));
            }
            Err(away) => return Err(away),
        };
        let host = InvocationHost::new(
            self.egress.clone(),
            install.allow_list.clone(),
            secrets,
            self.metrics.clone(),
        );
        let outcome = module.invoke(invocation(occasion, call, install, id), host.clone()).await;
        let result = outcome.result.and_then(|value| {
            BotResult::parse(&value).map_err(|problem| Failure {
                code: FailureCode::HandlerError,
                name: "InvalidResult".to_owned(),
                message: problem.to_string(),
                stack: None,
            })
        });
        let label = result.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "ok");
        self.metrics.invoked(call.kind, label, outcome.metrics.wall);
        self.telemetry.invoked(call, outcome.metrics.wall, host.take_lines(), result.as_ref().err());
        Ok(result)
    }

    /// Keeps the circuit breaker. Failures that say nothing about the handler do not count.
    async fn conclude(&self, call: &Call, result: &Result<BotResult, Failure>, recovering: bool) {
        match result {
            Ok(_) if recovering => self.gate.succeeded(call.install_id).await,
            Err(failure) if failure.code.is_handlers_fault() && self.gate.failed(call.install_id).await => {
                self.metrics.breaker_opened();
                let message = format!(
                    "the install's triggers pause for {} s: {BREAKER_FAILURES} failures in a row",
                    BREAKER_PAUSE.as_secs()
                );
                self.telemetry.problem(call, shared::feeds::CIRCUIT_OPEN, &message, None);
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// Every call counts as a failed one; the install is told why once in a while.
    fn does_not_load(&self, call: &Call, version_id: Uuid, failure: &Failure, took: Duration) {
        self.metrics.invoked(call.kind, failure.code.as_str(), took);
        if !failure.code.is_handlers_fault() {
            tracing::error!(%version_id, %failure, "a handler module cannot be loaded now");
        } else if self.told.broken.entry((call.install_id, version_id)).or_insert(()).is_fresh() {
            self.telemetry.invoked(call, took, Vec::new(), Some(failure));
        } else {
            self.telemetry.failed_again(call, took);
        }
    }

    fn refused(&self, call: &Call, reason: Refusal, error_type: &'static str, message: &str) {
        self.metrics.refused(reason);
        self.tell(call, error_type, message);
    }

    fn tell(&self, call: &Call, error_type: &'static str, message: &str) {
        if self.told.lately.entry((call.install_id, error_type)).or_insert(()).is_fresh() {
            self.telemetry.problem(call, error_type, message, None);
        }
    }
}

fn invocation(occasion: Occasion<'_>, call: &Call, install: &Install, id: &InvocationId) -> Invocation {
    let context = Context {
        auth: occasion.source.auth(install.account_id, install.id),
        config: install.config.clone(),
        user: occasion.source.user(),
    };
    let limits = match lane_of(call.kind) {
        Lane::Prompt => Limits::bot(),
        Lane::Background => Limits::default(),
    };
    Invocation { context, limits, seed: id.seed(), ..Invocation::new(&*call.handler, call.input.to_json()) }
}

/// Commands and moderation are answered at once, the rest when there is room (specification C B3.4).
const fn lane_of(kind: TriggerKind) -> Lane {
    match kind {
        TriggerKind::Moderate | TriggerKind::Command => Lane::Prompt,
        TriggerKind::Keyword | TriggerKind::Pattern | TriggerKind::Event => Lane::Background,
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
