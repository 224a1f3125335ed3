//! Server functions (specification C B4): takes the calls that the API offers, runs each at most once, and leaves its
//! result.

mod declarative;
mod installs;

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use sandbox::{Context, Failure, FailureCode, FunctionKind, Limits};
use serde_json::{Value, json};
use shared::{
    clock::Clock,
    extensions::{
        Function,
        calls::{Calls, FunctionCall, FunctionReply, Refusal},
    },
    redis::Redis,
};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use installs::InstallOfCall;
pub use installs::Installs;

use super::{
    executor::{Executor, Run},
    gate::Gate,
    lanes::{Lane, Lanes},
    metrics::Refusal as Refused,
    telemetry::Ran,
};
use crate::supervisor::JOB_DRAIN;

/// Calls that this process holds at once; what is beyond waits in Redis for any process.
const MAX_HELD: usize = 512;
/// Calls that are taken in one step.
const BATCH: usize = 32;
const POLL_INTERVAL: Duration = Duration::from_secs(1);
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);
const RECONNECT_DELAY: Duration = Duration::from_millis(500);
/// Times that a result is tried to be left.
const MAX_ATTEMPTS: u32 = 5;
/// In metrics and logs.
const TRIGGER: &str = "function";

/// Serves calls of server functions. Cheap to clone.
#[derive(Clone)]
pub struct Functions {
    pub id: Uuid,
    pub calls: Calls,
    pub redis: Redis,
    pub clock: Clock,
    pub installs: Installs,
    pub lanes: Lanes,
    pub gate: Gate,
    pub executor: Executor,
}

/// Why a call has no result.
enum Ended {
    Refused(Refusal, String),
    Failed(Failure),
}

impl Functions {
    /// Serves until `shutdown` is cancelled, then finishes what was begun.
    pub async fn serve(self, shutdown: CancellationToken) {
        let (offered, running) = (Arc::new(Notify::new()), TaskTracker::new());
        let serving = async {
            tokio::select! {
                () = self.take_all(&offered, &running) => {}
                () = shutdown.cancelled() => {}
            }
            running.close();
            if timeout(JOB_DRAIN, running.wait()).await.is_err() {
                tracing::warn!(left = running.len(), "function calls are cut off; their callers are told");
            }
        };
        // The others go on until what was begun has ended.
        tokio::select! {
            () = serving => {}
            () = self.be_present() => {}
            () = self.listen(&offered) => {}
        }
    }

    async fn take_all(&self, offered: &Notify, running: &TaskTracker) {
        let places = Arc::new(Semaphore::new(MAX_HELD));
        loop {
            match self.take(&places, running).await {
                Ok(0) => {
                    // Woken, or at the latest after a second.
                    timeout(POLL_INTERVAL, offered.notified()).await.ok();
                }
                Ok(_more) => {}
                Err(error) => {
                    tracing::warn!(%error, "function calls cannot be taken");
                    sleep(POLL_INTERVAL).await;
                }
            }
        }
    }

    async fn take(&self, places: &Arc<Semaphore>, running: &TaskTracker) -> shared::Result<usize> {
        // Never more than there are places for: what is taken is begun at once.
        let Ok(first) = places.clone().acquire_owned().await else { return Ok(0) };
        let most = places.available_permits().min(BATCH - 1) + 1;
        let mut free = vec![first];
        while free.len() < most {
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
        let _deferred_may_go_on = delivered.clone().drop_guard();
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
                    tracing::error!(call = %call.id, %error, "the result of a function call could not be left");
                }
                Err(_) => sleep(pause).await,
            }
            pause *= 4;
        }
    }

    async fn run(&self, call: &FunctionCall, delivered: &CancellationToken) -> Result<Value, Ended> {
        self.not_late(call)?;
        if !self.gate.count(call.install_id).await {
            self.executor.metrics.refused(Refused::RateLimited);
            let message =
                format!("At most {} invocations of an extension in a minute", self.gate.per_minute());
            return Err(Ended::Refused(Refusal::RateLimited, message));
        }
        let slot = self.lanes.enter(call.account_id, Lane::Function).await.map_err(|overloaded| {
            self.executor.metrics.refused(Refused::Overloaded);
            Ended::Refused(Refusal::Overloaded, overloaded.to_string())
        })?;
        // It may have waited.
        self.not_late(call)?;
        let install = self.installs.of(call).await.map_err(|error| {
            tracing::warn!(install_id = %call.install_id, %error, "the install of a call cannot be read");
            Ended::Refused(Refusal::Internal, "the install cannot be read".to_owned())
        })?;
        let unavailable = |what: &str| Ended::Refused(Refusal::Unavailable, what.to_owned());
        let install = install.ok_or_else(|| unavailable("The extension install is switched off"))?;
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

    async fn be_present(&self) {
        loop {
            if let Err(error) = self.calls.be_present(self.id).await {
                tracing::warn!(%error, "this runtime cannot say that it is there");
            }
            sleep(HEARTBEAT_INTERVAL).await;
        }
    }

    async fn listen(&self, offered: &Notify) {
        loop {
            if let Err(error) = self.follow(offered).await {
                tracing::debug!(%error, "function calls are looked for until Redis is back");
            }
            sleep(RECONNECT_DELAY).await;
        }
    }

    async fn follow(&self, offered: &Notify) -> shared::Result<()> {
        let mut subscription = self.redis.pubsub().await?;
        subscription.subscribe(self.calls.offers()).await?;
        let mut messages = subscription.on_message();
        while messages.next().await.is_some() {
            offered.notify_one();
        }
        Ok(())
    }
}

fn handler_run(call: &FunctionCall, function: &Function, install: &InstallOfCall) -> Run {
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

fn kind_of(function: &Function) -> FunctionKind {
    match function.kind {
        shared::extensions::FunctionKind::Query => FunctionKind::Query,
        shared::extensions::FunctionKind::Mutation => FunctionKind::Mutation,
        shared::extensions::FunctionKind::Action => FunctionKind::Action,
    }
}

/// What telemetry calls a call.
fn ran(call: &FunctionCall) -> Ran {
    Ran { install_id: call.install_id, handler: call.function.as_str().into(), trigger: TRIGGER }
}
