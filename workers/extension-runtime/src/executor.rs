//! Executor: runs one handler of one install once, with its context, its reach and its report.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use extension_model::limits::{LimitCache, LimitKey, ResolvedLimits};
use moka::sync::Cache;
use sandbox::{
    Failure, FailureCode, FunctionKind, Handler, HostError, HostErrorKind, Invocation, Limits, Outcome,
};
use serde_json::Value;
use shared::clock::{Clock, rfc3339};
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;
use usage_model::{Consumer, Meter, Metered, Receipt, Stops, Unit};
use uuid::Uuid;

use super::{
    actions::{ActionRunner, Actions},
    api_failure::ApiFailure,
    cache::Caches,
    egress::Egress,
    failed_runs::{FailedRun, FailedRuns},
    host::{InvocationHost, Reach},
    metrics::RuntimeMetrics,
    modules::Modules,
    push::Pushes,
    run::{Run, Runnable},
    scheduler::Slot,
    secrets::{SecretStore, SecretsOfExtension},
    storage::{Owner, Storage},
    telemetry::{HandlerRun, Telemetry},
    time_slices::{TimeSliced, time_sliced},
};

/// Interval in which the same problem of an install or a version is reported once.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum number of remembered problems.
const MAX_REPORTED: u64 = 10_000;
/// Bytes that a host operation has beside the value that it carries.
const ARGUMENT_OVERHEAD: usize = 64 * 1024;
/// Maximum time for which a stopping worker waits for deferred functions.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Runs handlers. Cheap to clone.
#[derive(Clone)]
pub struct Executor {
    /// Loaded modules.
    pub modules: Modules,
    /// Limits of extensions.
    pub limits: LimitCache,
    /// Secrets of extensions.
    pub secrets: SecretStore,
    /// Client of `ctx.fetch`.
    pub egress: Egress,
    /// Storage of `ctx.db`.
    pub storage: Storage,
    /// Caches of `ctx.cache`.
    pub caches: Caches,
    /// Messages of `ctx.push`.
    pub pushes: Pushes,
    /// Executor of `ctx.actions`.
    pub actions: Actions,
    /// Telemetry of installs.
    pub telemetry: Telemetry,
    /// Metrics of the runtime.
    pub metrics: RuntimeMetrics,
    /// Store of failed runs.
    pub failed_runs: FailedRuns,
    /// Counts of usage.
    pub meter: Meter,
    /// Uses that are refused because of budgets.
    pub stops: Stops,
    /// Source of the time.
    pub clock: Clock,
    /// Problems that were reported recently.
    pub reports: ReportLimiter,
    /// Tracker of deferred functions.
    pub deferred: TaskTracker,
}

/// Problems that were reported recently. Cheap to clone.
#[derive(Clone)]
pub struct ReportLimiter {
    recent: Cache<(Uuid, &'static str), ()>,
    /// Installs with versions that do not load.
    broken: Cache<(Uuid, Uuid), ()>,
}

impl Default for ReportLimiter {
    fn default() -> Self {
        Self {
            recent: Cache::builder().max_capacity(MAX_REPORTED).time_to_live(REPORT_INTERVAL).build(),
            broken: Cache::builder().max_capacity(MAX_REPORTED).time_to_live(REPORT_INTERVAL).build(),
        }
    }
}

impl ReportLimiter {
    /// True when a problem of an install is to be reported now.
    pub fn is_due(&self, install_id: Uuid, problem: &'static str) -> bool {
        self.recent.entry((install_id, problem)).or_insert(()).is_fresh()
    }
}

/// Data of an invocation for its report.
struct RunReport {
    executor: Executor,
    install: Arc<Runnable>,
    run: Run,
    host: Arc<InvocationHost>,
    started: chrono::DateTime<chrono::Utc>,
}

impl Executor {
    /// Runs a handler and reads its result. Failures are recorded in the install's telemetry. The slot is
    /// released at the end; deferred functions continue in the background queue.
    ///
    /// # Errors
    /// The failure of the API while the handler needs it: the caller may try again.
    pub async fn run<T>(
        &self,
        install: &Arc<Runnable>,
        run: Run,
        slot: Slot,
        read: impl Fn(Value) -> Result<T, Failure>,
    ) -> Result<Result<T, Failure>, Arc<ApiFailure>> {
        let ran =
            HandlerRun { install_id: install.install_id, handler: run.handler.clone(), trigger: run.trigger };
        let started = Instant::now();
        let module = match self.modules.get(&install.source).await {
            Ok(module) => module,
            Err(failure) => {
                self.does_not_load(&ran, install.source.version_id, &failure, started.elapsed());
                return Ok(Err(Failure::clone(&failure)));
            }
        };
        let secrets = match self.secrets_for(run.kind, install.extension_id).await {
            Ok(secrets) => secrets,
            Err(failure) if matches!(*failure, ApiFailure::Refused { .. }) => {
                tracing::error!(extension_id = %install.extension_id, %failure, "the secrets of an extension cannot be read");
                let failure =
                    failed(FailureCode::Internal, "SecretsUnavailable", "the secrets cannot be read");
                self.metrics.invoked(run.trigger, failure.code.as_str(), started.elapsed());
                if self.reports.is_due(install.install_id, "SECRETS_UNAVAILABLE") {
                    self.telemetry.problem(&ran, "SECRETS_UNAVAILABLE", &failure.message, None);
                }
                return Ok(Err(failure));
            }
            Err(away) => return Err(away),
        };
        let limits = self.limits.of(install.extension_id);
        let run = Run { limits: limited(run.limits.clone(), &limits), ..run };
        let (reply, replied) = oneshot::channel();
        let is_mutation = run.kind == FunctionKind::Mutation;
        let owner = Owner {
            extension_id: install.extension_id,
            account_id: install.account_id,
            install_id: install.install_id,
            viewer: run.viewer.clone(),
        };
        let host = InvocationHost::new(Reach {
            egress: self.egress.clone(),
            allow_list: install.allow_list.clone(),
            secrets,
            metrics: self.metrics.clone(),
            storage: self.storage.access(owner, install.tables.clone(), run.kind, limits.clone()),
            usage: self.metered(install),
            cache: self.caches.of(install.extension_id, install.account_id),
            push: self.pushes.of(install.install_id, is_mutation, &limits),
            actions: ActionRunner::new(
                self.actions.clone(),
                install.account_id,
                install.install_id,
                run.invocation_id.clone(),
                run.platform.clone(),
            ),
            reply,
            delivered: run.delivered.clone(),
        });
        let report = RunReport {
            executor: self.clone(),
            install: install.clone(),
            run,
            host,
            started: self.clock.now(),
        };
        Ok(report.invoke(module, replied, slot, read).await)
    }

    /// Returns the meter of an install's extension (reference/usage.md#handler-time).
    pub fn metered(&self, install: &Runnable) -> Metered {
        let consumer = Consumer::extension(install.account_id, install.extension_id);
        Metered::new(self.meter.clone(), self.stops.clone(), consumer)
    }

    /// Returns the message of a budget that keeps the handlers of an install from running; `None` while they may run.
    pub fn stop(&self, install: &Runnable) -> Option<String> {
        let stop = self.metered(install).stop(Unit::HandlerMs)?;
        Some(format!("the budget of handler time is used up until {}", rfc3339(stop.until)))
    }

    /// Waits for deferred functions before the process ends.
    pub async fn finish(self) {
        self.deferred.close();
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.deferred.wait()).await.is_err() {
            tracing::warn!(left = self.deferred.len(), "deferred functions of handlers are aborted");
        }
    }

    /// Returns the secrets of an action. Queries and mutations have none, so they do not wait for the API
    /// (reference/handlers.md#kinds).
    async fn secrets_for(
        &self,
        kind: FunctionKind,
        extension_id: Uuid,
    ) -> Result<SecretsOfExtension, Arc<ApiFailure>> {
        match kind {
            FunctionKind::Action => self.secrets.of(extension_id).await,
            FunctionKind::Query | FunctionKind::Mutation => Ok(SecretsOfExtension::default()),
        }
    }

    /// Records a version that does not load. Every call counts as failed; the reason is reported to the
    /// install once in an interval.
    fn does_not_load(&self, ran: &HandlerRun, version_id: Uuid, failure: &Failure, took: Duration) {
        self.metrics.invoked(ran.trigger, failure.code.as_str(), took);
        if !failure.code.is_handlers_fault() {
            tracing::error!(%version_id, %failure, "a handler module cannot be loaded now");
        } else if self.reports.broken.entry((ran.install_id, version_id)).or_insert(()).is_fresh() {
            self.telemetry.invoked(ran, took, Vec::new(), Some((shared::id::new(), failure)));
        } else {
            self.telemetry.failed_again(ran, took);
        }
    }
}

impl RunReport {
    async fn invoke<T>(
        self,
        module: Handler,
        mut replied: oneshot::Receiver<Value>,
        slot: Slot,
        read: impl Fn(Value) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (invocation, host) = (self.invocation(), self.host.clone());
        let metered = self.executor.metered(&self.install);
        let invoking = async move { metered.timed(module.invoke(invocation, host)).await };
        let mut invoked = time_sliced(slot.time_slices(), invoking);
        let (outcome, time) = tokio::select! {
            biased;
            Ok(result) = &mut replied => {
                let read = read(result);
                let (failure, deferred) = (read.as_ref().err().cloned(), self.executor.deferred.clone());
                deferred.spawn(self.run_deferred(invoked, failure, slot));
                return read;
            }
            ended = &mut invoked => ended,
        };
        let result = match outcome.result.and_then(read) {
            Ok(value) => match self.host.commit().await {
                Ok(()) => Ok(value),
                Err(error) => Err(commit_failure(&error)),
            },
            Err(failure) => {
                self.host.roll_back().await;
                Err(failure)
            }
        };
        drop(slot);
        self.send(outcome.metrics.wall, result.as_ref().err(), outcome.recording);
        // The result comes after its time is stored: a kill loses none (reference/usage.md#counting).
        time.stored().await;
        result
    }

    /// Runs deferred functions after the result. They wait for a background slot.
    async fn run_deferred(
        self,
        mut invoked: TimeSliced<impl Future<Output = (Outcome, Receipt)> + Send>,
        failure: Option<Failure>,
        slot: Slot,
    ) {
        let began = Instant::now();
        match slot.demote().await {
            Ok(slot) => {
                invoked.move_to(slot.time_slices());
                // The caller has its result already, so nothing waits for the time.
                let (mut outcome, _time) = invoked.await;
                let failure = failure.or(outcome.deferred.take());
                self.send(outcome.metrics.wall, failure.as_ref(), outcome.recording);
            }
            Err(overloaded) => {
                drop(invoked);
                let message = format!("what was deferred did not run: {overloaded}");
                let cut_off = failed(FailureCode::Overloaded, "OverloadedError", &message);
                self.send(began.elapsed(), Some(failure.as_ref().unwrap_or(&cut_off)), None);
            }
        }
    }

    fn invocation(&self) -> Invocation {
        Invocation {
            kind: self.run.kind,
            context: self.run.context.clone(),
            limits: self.run.limits.clone(),
            seed: self.run.seed,
            secrets: self.install.secret_settings.clone(),
            record: true,
            ..Invocation::new(&*self.run.handler, self.run.input.clone())
        }
    }

    fn send(self, took: Duration, failure: Option<&Failure>, recording: Option<sandbox::Recording>) {
        let Self { executor, install, run, host, started } = self;
        let ran =
            HandlerRun { install_id: install.install_id, handler: run.handler.clone(), trigger: run.trigger };
        let label = failure.map_or("ok", |failure| failure.code.as_str());
        executor.metrics.invoked(run.trigger, label, took);
        let (id, lines) = (shared::id::new(), host.take_lines());
        // Arguments that do not fit are the caller's mistake and no error of the extension.
        let failure = failure.filter(|failure| failure.code != FailureCode::InvalidArguments);
        let recorded = failure.map(|failure| (id, failure));
        if run.is_test {
            executor.telemetry.tested(&ran, took, lines, recorded);
            return;
        }
        executor.telemetry.invoked(&ran, took, lines, recorded);
        if let (Some(failure), Some(recording)) = (failure, recording)
            && !matches!(failure.code, FailureCode::Internal | FailureCode::Overloaded)
        {
            executor.failed_runs.send(FailedRun::new(id, &install, run, failure.clone(), recording, started));
        }
    }
}

/// Failure of a commit: the changes of the handler were not kept.
fn commit_failure(error: &HostError) -> Failure {
    let code = match error.kind {
        HostErrorKind::Internal => FailureCode::Internal,
        _ => FailureCode::HandlerError,
    };
    failed(code, error.kind.name(), &error.message)
}

/// Returns the limits of a run of an extension with these limits. A run with a shorter time than a function
/// keeps it; the bounds of the sandbox apply above all.
pub fn limited(run: Limits, own: &ResolvedLimits) -> Limits {
    let millis = u64::try_from(own.value(LimitKey::FunctionTimeoutMs)).unwrap_or(0);
    let timeout = Duration::from_millis(millis);
    let is_short = run.wall < Limits::default().wall;
    let carried = own.size(LimitKey::ValueBytes).max(own.size(LimitKey::PushBytes)) + ARGUMENT_OVERHEAD;
    Limits {
        wall: if is_short { run.wall.min(timeout) } else { timeout },
        fetches: u32::try_from(own.value(LimitKey::FetchesPerInvocation)).unwrap_or(u32::MAX),
        reply_bytes: own.size(LimitKey::ResponseBytes),
        argument_bytes: run.argument_bytes.max(carried),
        ..run
    }
}

/// Returns a failure outside of the engine.
pub fn failed(code: FailureCode, name: &str, message: &str) -> Failure {
    Failure { code, name: name.to_owned(), message: message.to_owned(), stack: None }
}
