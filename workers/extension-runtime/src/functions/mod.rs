//! Server functions (reference/extensions.md#calls): takes the calls that the API offers, runs each at most
//! once, and leaves its result.

pub(crate) mod declarative;
mod installs;
pub(crate) mod node;

use std::{sync::Arc, time::Duration};

use extension_model::{
    Function,
    calls::{Calls, FunctionCall, FunctionReply, Refusal},
};
use foundation::redis::Redis;
use sandbox::{Context, Failure, FailureCode, FunctionKind, Limits};
use serde_json::{Value, json};
use shared::clock::Clock;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

pub(crate) use installs::InstallOfCall;
pub use installs::Installs;

use super::{
    executor::Executor,
    gate::Gate,
    metrics::Refusal as Refused,
    run::Run,
    scheduler::{FairScheduler, Priority},
    telemetry::HandlerRun,
};
use worker_core::JOB_DRAIN_TIMEOUT;

/// Maximum number of calls that this process holds; further ones wait in Redis for any process.
const MAX_CONCURRENT_CALLS: usize = 512;
/// Maximum number of calls that are taken in one step.
const BATCH_SIZE: usize = 32;
/// Maximum interval at which offered calls are taken.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval at which the runtime reports that it takes calls.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);
/// Pause before reconnecting to Redis.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);
/// Maximum number of attempts to leave a result.
const MAX_ATTEMPTS: u32 = 5;
/// Name in metrics and logs.
const TRIGGER: &str = "function";

/// Serves calls of server functions. Cheap to clone.
#[derive(Clone)]
pub struct Functions {
    /// Id of this process among the runtimes.
    pub id: Uuid,
    /// Calls that wait in Redis.
    pub calls: Calls,
    /// Pool of Redis connections.
    pub redis: Redis,
    /// Source of the time.
    pub clock: Clock,
    /// Installs of the calls.
    pub installs: Installs,
    /// Slots for handlers.
    pub scheduler: FairScheduler,
    /// Rate limit of installs.
    pub gate: Gate,
    /// Runner of handlers.
    pub executor: Executor,
}

/// Reason why a call has no result.
enum Ended {
    Refused(Refusal, String),
    Failed(Failure),
}

impl Functions {
    /// Serves until `shutdown` is cancelled, then finishes calls in progress.
    pub async fn serve(self, shutdown: CancellationToken) {
        let (offered, running) = (Arc::new(Notify::new()), TaskTracker::new());
        let serving = async {
            tokio::select! {
                () = self.take_all(&offered, &running) => {}
                () = shutdown.cancelled() => {}
            }
            running.close();
            if timeout(JOB_DRAIN_TIMEOUT, running.wait()).await.is_err() {
                tracing::warn!(
                    left = running.len(),
                    "function calls are aborted; their callers are notified"
                );
            }
        };
        // The other tasks continue until all calls in progress have ended.
        tokio::select! {
            () = serving => {}
            () = self.announce_presence() => {}
            () = self.listen(&offered) => {}
        }
    }

    async fn take_all(&self, offered: &Notify, running: &TaskTracker) {
        let places = Arc::new(Semaphore::new(MAX_CONCURRENT_CALLS));
        loop {
            match self.take(&places, running).await {
                Ok(0) => {
                    // Woken, or at the latest after a second.
                    timeout(POLL_INTERVAL, offered.notified()).await.ok();
                }
                Ok(_more) => {}
                Err(error) => {
                    tracing::warn!(%error, "function calls cannot be received");
                    sleep(POLL_INTERVAL).await;
                }
            }
        }
    }

    async fn take(&self, places: &Arc<Semaphore>, running: &TaskTracker) -> shared::Result<usize> {
        // Never more than there are permits for: a call that is taken begins immediately.
        let Ok(first) = places.clone().acquire_owned().await else { return Ok(0) };
        let max_batch = places.available_permits().min(BATCH_SIZE - 1) + 1;
        let mut free = vec![first];
        while free.len() < max_batch {
            match places.clone().try_acquire_owned() {
                Ok(place) => free.push(place),
                Err(_taken) => break,
            }
        }
        let taken = self.calls.take(self.id, free.len()).await?;
        let count = taken.len();
        for (call, place) in taken.into_iter().zip(free) {
            let functions = self.clone();
            running.spawn(async move { functions.handle(call, place).await });
        }
        Ok(count)
    }

    async fn handle(&self, call: FunctionCall, _place: OwnedSemaphorePermit) {
        let delivered = CancellationToken::new();
        let _resume_deferred = delivered.clone().drop_guard();
        let reply = match self.run(&call, &delivered).await {
            Ok(value) => FunctionReply::Returned { value },
            Err(Ended::Refused(reason, message)) => FunctionReply::Refused { reason, message },
            Err(Ended::Failed(failure)) if failure.code == FailureCode::Overloaded => {
                FunctionReply::Refused { reason: Refusal::Overloaded, message: failure.message }
            }
            Err(Ended::Failed(failure)) if failure.code == FailureCode::Internal => {
                FunctionReply::Refused { reason: Refusal::Internal, message: failure.message }
            }
            Err(Ended::Failed(failure)) => {
                FunctionReply::Failed { code: failure.code.as_str().to_owned(), message: failure.message }
            }
        };
        let mut pause = Duration::from_millis(50);
        for attempt in 1..=MAX_ATTEMPTS {
            match self.calls.answer(call.id, &reply).await {
                Ok(()) => return,
                Err(error) if attempt == MAX_ATTEMPTS => {
                    tracing::error!(call = %call.id, %error, "the result of a function call could not be returned");
                }
                Err(_) => sleep(pause).await,
            }
            pause *= 4;
        }
    }

    async fn run(&self, call: &FunctionCall, delivered: &CancellationToken) -> Result<Value, Ended> {
        self.not_late(call)?;
        let per_minute = self.gate.per_minute(&self.executor.limits.of(call.extension_id));
        if !self.gate.count(call.install_id, per_minute).await {
            self.executor.metrics.refused(Refused::RateLimited);
            let message = format!("At most {per_minute} invocations of an extension in a minute");
            return Err(Ended::Refused(Refusal::RateLimited, message));
        }
        let slot = self.scheduler.enter(call.account_id, Priority::Function).await.map_err(|overloaded| {
            self.executor.metrics.refused(Refused::Overloaded);
            Ended::Refused(Refusal::Overloaded, overloaded.to_string())
        })?;
        // The call may have waited.
        self.not_late(call)?;
        let install = self.installs.of(call).await.map_err(|error| {
            tracing::warn!(install_id = %call.install_id, %error, "the install of a call cannot be read");
            Ended::Refused(Refusal::Internal, "the install cannot be read".to_owned())
        })?;
        let unavailable = |what: &str| Ended::Refused(Refusal::Unavailable, what.to_owned());
        let install = install.ok_or_else(|| unavailable("The extension install is switched off"))?;
        if let Some(message) = self.executor.stop(&install.runnable) {
            self.executor.metrics.refused(Refused::BudgetReached);
            return Err(Ended::Refused(Refusal::RateLimited, message));
        }
        if let Some(node) = call.node {
            let declared = install.node.as_ref().ok_or_else(|| unavailable("The node is gone"))?;
            let run = Run { delivered: delivered.clone(), ..node::run_of(call, node, declared, &install) };
            return match self
                .executor
                .run(&install.runnable, run, slot, |value| node::read(value, declared))
                .await
            {
                Ok(result) => result.map_err(Ended::Failed),
                Err(away) => Err(Ended::Refused(Refusal::Internal, away.to_string())),
            };
        }
        let function =
            install.functions.get(&call.function).ok_or_else(|| unavailable("The function is gone"))?;
        if let Some(declared) = &function.declarative {
            return declarative::run(&self.executor, &install, call, function, declared)
                .await
                .map_err(Ended::Failed);
        }
        let run = Run { delivered: delivered.clone(), ..handler_run(call, function, &install) };
        match self.executor.run(&install.runnable, run, slot, Ok).await {
            Ok(result) => result.map_err(Ended::Failed),
            Err(away) => Err(Ended::Refused(Refusal::Internal, away.to_string())),
        }
    }

    fn not_late(&self, call: &FunctionCall) -> Result<(), Ended> {
        if self.clock.now() < call.expires_at {
            return Ok(());
        }
        Err(Ended::Refused(Refusal::Expired, "the call waited for too long".to_owned()))
    }

    async fn announce_presence(&self) {
        loop {
            if let Err(error) = self.calls.announce_presence(self.id).await {
                tracing::warn!(%error, "the presence of this runtime cannot be announced");
            }
            sleep(HEARTBEAT_INTERVAL).await;
        }
    }

    async fn listen(&self, offered: &Notify) {
        loop {
            if let Err(error) = self.follow(offered).await {
                tracing::debug!(%error, "function calls are polled until Redis is back");
            }
            sleep(RECONNECT_DELAY).await;
        }
    }

    async fn follow(&self, offered: &Notify) -> shared::Result<()> {
        let (mut subscriber, mut messages) = self.redis.subscription().await?;
        subscriber.subscribe(&[self.calls.offers_channel()]).await?;
        while messages.next().await.is_some() {
            offered.notify_one();
        }
        Ok(())
    }
}

/// Returns the run of a function that has a handler.
pub(crate) fn handler_run(call: &FunctionCall, function: &Function, install: &InstallOfCall) -> Run {
    let handler = function.handler.as_deref().unwrap_or(&call.function);
    let viewer = call.caller.user_id.map(|user| user.to_string());
    let auth = json!({
        "userId": call.caller.user_id,
        "accountId": call.account_id,
        "role": call.caller.role,
        "surface": call.caller.surface,
        "platformUserId": null,
        "platformUserName": null,
        "installId": call.install_id,
    });
    Run {
        handler: handler.into(),
        kind: kind_of(function),
        context: Context { auth, config: install.config.clone(), user: None },
        input: call.args.clone(),
        limits: Limits::default(),
        seed: u64::from_be_bytes(call.id.as_bytes()[8..].try_into().unwrap_or_default()),
        invocation_id: call.id.simple().to_string(),
        trigger: TRIGGER,
        viewer,
        platform: None,
        platform_user_id: None,
        user_id: call.caller.user_id,
        is_test: false,
        delivered: CancellationToken::new(),
    }
}

/// Returns the kind of a function as the sandbox names it.
pub(crate) fn kind_of(function: &Function) -> FunctionKind {
    match function.kind {
        extension_model::FunctionKind::Query => FunctionKind::Query,
        extension_model::FunctionKind::Mutation => FunctionKind::Mutation,
        extension_model::FunctionKind::Action => FunctionKind::Action,
    }
}

/// Returns the name of a call in telemetry.
fn ran(call: &FunctionCall) -> HandlerRun {
    HandlerRun { install_id: call.install_id, handler: call.function.as_str().into(), trigger: TRIGGER }
}
