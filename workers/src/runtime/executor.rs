//! One handler of one install, run once, whatever set it off: what it sees, what it reaches, and what is told of it
//! afterwards.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use moka::sync::Cache;
use sandbox::{
    Context, Failure, FailureCode, FunctionKind, Handler, HostError, HostErrorKind, Invocation, Limits,
    Outcome,
};
use serde_json::Value;
use shared::{clock::Clock, extensions::Table};
use tokio::sync::oneshot;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use super::{
    actions::{ActionRunner, Actions},
    api::ApiFailure,
    cache::Caches,
    egress::{AllowList, Egress},
    failed_runs::{FailedRun, FailedRuns},
    host::{InvocationHost, Reach},
    lanes::Slot,
    metrics::RuntimeMetrics,
    modules::{Modules, Source},
    push::Pushes,
    secrets::{SecretStore, SecretsOfExtension},
    storage::{Owner, Storage},
    telemetry::{Ran, Telemetry},
    turns::{InTurns, in_turns},
};

/// How long the same problem of an install or a version is not told again.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);
const MAX_REPORTED: u64 = 10_000;
/// How long a stopping worker waits for what was deferred.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Runs handlers. Cheap to clone.
#[derive(Clone)]
pub struct Executor {
    pub modules: Modules,
    pub secrets: SecretStore,
    pub egress: Egress,
    pub storage: Storage,
    pub caches: Caches,
    pub pushes: Pushes,
    pub actions: Actions,
    pub telemetry: Telemetry,
    pub metrics: RuntimeMetrics,
    pub failed_runs: FailedRuns,
    pub clock: Clock,
    pub told: Told,
    /// What runs after its result was given.
    pub deferred: TaskTracker,
}

/// An install as its handlers need it.
#[derive(Debug, Clone, PartialEq)]
pub struct Runnable {
    pub install_id: Uuid,
    pub account_id: Uuid,
    pub extension_id: Uuid,
    pub source: Source,
    pub allow_list: AllowList,
    pub tables: Arc<BTreeMap<String, Table>>,
    /// Values of the configuration that are blanked out of whatever is written.
    pub secret_settings: Vec<String>,
}

/// One run of a handler.
#[derive(Debug, Clone)]
pub struct Run {
    pub handler: Arc<str>,
    pub kind: FunctionKind,
    pub context: Context,
    pub input: Value,
    pub limits: Limits,
    pub seed: u64,
    /// Names the run for ever: what it has done outside is not done again for another run of this name.
    pub invocation_id: String,
    /// In metrics and logs: `command`, `event`, `function` …
    pub trigger: &'static str,
    /// The person of the storage's scope `user`.
    pub viewer: Option<String>,
    /// Where it was set off: platform and user there.
    pub platform: Option<String>,
    pub platform_user_id: Option<String>,
    /// Who called it, where that is a person of Lumio.
    pub user_id: Option<Uuid>,
    /// A test leaves no count behind.
    pub is_test: bool,
    /// Cancelled once the result has reached whoever waits for it, or is given up: what was deferred goes on then.
    pub delivered: CancellationToken,
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
            lately: Cache::builder().max_capacity(MAX_REPORTED).time_to_live(REPORT_INTERVAL).build(),
            broken: Cache::builder().max_capacity(MAX_REPORTED).time_to_live(REPORT_INTERVAL).build(),
        }
    }
}

impl Told {
    /// Whether a problem of an install is to be told now.
    pub fn is_news(&self, install_id: Uuid, problem: &'static str) -> bool {
        self.lately.entry((install_id, problem)).or_insert(()).is_fresh()
    }
}

/// What an invocation leaves to be told of it.
struct Account {
    executor: Executor,
    install: Arc<Runnable>,
    run: Run,
    host: Arc<InvocationHost>,
    started: chrono::DateTime<chrono::Utc>,
}

impl Executor {
    /// Runs a handler and reads its result. What went wrong is in the install's telemetry. The slot is given back at
    /// the end; what the handler deferred goes on in the background lane.
    ///
    /// # Errors
    /// When the API stays away from something the handler needs: the caller may try again.
    pub async fn run<T>(
        &self,
        install: &Arc<Runnable>,
        run: Run,
        slot: Slot,
        read: impl Fn(Value) -> Result<T, Failure>,
    ) -> Result<Result<T, Failure>, Arc<ApiFailure>> {
        let ran = Ran { install_id: install.install_id, handler: run.handler.clone(), trigger: run.trigger };
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
                tracing::error!(extension_id = %install.extension_id, %failure, "the secrets of an extension");
                let failure =
                    failed(FailureCode::Internal, "SecretsUnavailable", "the secrets cannot be read");
                self.metrics.invoked(run.trigger, failure.code.as_str(), started.elapsed());
                if self.told.is_news(install.install_id, "SECRETS_UNAVAILABLE") {
                    self.telemetry.problem(&ran, "SECRETS_UNAVAILABLE", &failure.message, None);
                }
                return Ok(Err(failure));
            }
            Err(away) => return Err(away),
        };
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
            storage: self.storage.access(owner, install.tables.clone(), run.kind),
            cache: self.caches.of(install.extension_id, install.account_id),
            push: self.pushes.of(install.install_id, is_mutation),
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
        let account = Account {
            executor: self.clone(),
            install: install.clone(),
            run,
            host,
            started: self.clock.now(),
        };
        Ok(account.keep(module, replied, slot, read).await)
    }

    /// Waits for what was deferred, before the process ends.
    pub async fn finish(self) {
        self.deferred.close();
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.deferred.wait()).await.is_err() {
            tracing::warn!(left = self.deferred.len(), "deferred functions of handlers are cut off");
        }
    }

    /// Queries and mutations have no secrets (C B3.3), so they do not wait for the API.
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

    /// Every call counts as a failed one; the install is told why once in a while.
    fn does_not_load(&self, ran: &Ran, version_id: Uuid, failure: &Failure, took: Duration) {
        self.metrics.invoked(ran.trigger, failure.code.as_str(), took);
        if !failure.code.is_handlers_fault() {
            tracing::error!(%version_id, %failure, "a handler module cannot be loaded now");
        } else if self.told.broken.entry((ran.install_id, version_id)).or_insert(()).is_fresh() {
            self.telemetry.invoked(ran, took, Vec::new(), Some((shared::id::new(), failure)));
        } else {
            self.telemetry.failed_again(ran, took);
        }
    }
}

impl Account {
    async fn keep<T>(
        self,
        module: Handler,
        mut replied: oneshot::Receiver<Value>,
        slot: Slot,
        read: impl Fn(Value) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (invocation, host) = (self.invocation(), self.host.clone());
        let invoking = async move { module.invoke(invocation, host).await };
        let mut invoked = in_turns(slot.turns(), invoking);
        let outcome = tokio::select! {
            biased;
            Ok(result) = &mut replied => {
                let read = read(result);
                let (failure, deferred) = (read.as_ref().err().cloned(), self.executor.deferred.clone());
                deferred.spawn(self.go_on(invoked, failure, slot));
                return read;
            }
            outcome = &mut invoked => outcome,
        };
        let result = match outcome.result.and_then(read) {
            Ok(value) => match self.host.keep().await {
                Ok(()) => Ok(value),
                Err(error) => Err(not_kept(&error)),
            },
            Err(failure) => {
                self.host.undo().await;
                Err(failure)
            }
        };
        drop(slot);
        self.tell(outcome.metrics.wall, result.as_ref().err(), outcome.recording);
        result
    }

    /// Runs what was deferred: the caller has its answer. Nothing of it runs until there is room beside the answers.
    async fn go_on(
        self,
        mut invoked: InTurns<impl Future<Output = Outcome> + Send>,
        failure: Option<Failure>,
        slot: Slot,
    ) {
        let began = Instant::now();
        match slot.step_back().await {
            Ok(slot) => {
                invoked.move_to(slot.turns());
                let mut outcome = invoked.await;
                let failure = failure.or(outcome.deferred.take());
                self.tell(outcome.metrics.wall, failure.as_ref(), outcome.recording);
            }
            Err(overloaded) => {
                drop(invoked);
                let message = format!("what was deferred did not run: {overloaded}");
                let cut_off = failed(FailureCode::Overloaded, "OverloadedError", &message);
                self.tell(began.elapsed(), Some(failure.as_ref().unwrap_or(&cut_off)), None);
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

    fn tell(self, took: Duration, failure: Option<&Failure>, recording: Option<sandbox::Recording>) {
        let Self { executor, install, run, host, started } = self;
        let ran = Ran { install_id: install.install_id, handler: run.handler.clone(), trigger: run.trigger };
        let label = failure.map_or("ok", |failure| failure.code.as_str());
        executor.metrics.invoked(run.trigger, label, took);
        let (id, lines) = (shared::id::new(), host.take_lines());
        // Arguments that do not fit are the caller's mistake and no error of the extension.
        let failure = failure.filter(|failure| failure.code != FailureCode::InvalidArguments);
        let told = failure.map(|failure| (id, failure));
        if run.is_test {
            executor.telemetry.tested(&ran, took, lines, told);
            return;
        }
        executor.telemetry.invoked(&ran, took, lines, told);
        if let (Some(failure), Some(recording)) = (failure, recording)
            && !matches!(failure.code, FailureCode::Internal | FailureCode::Overloaded)
        {
            executor.failed_runs.keep(FailedRun::new(id, &install, run, failure.clone(), recording, started));
        }
    }
}

/// What the handler did was not kept.
fn not_kept(error: &HostError) -> Failure {
    let code = match error.kind {
        HostErrorKind::Internal => FailureCode::Internal,
        _ => FailureCode::HandlerError,
    };
    failed(code, error.kind.name(), &error.message)
}

/// A failure that the engine did not see.
pub fn failed(code: FailureCode, name: &str, message: &str) -> Failure {
    Failure { code, name: name.to_owned(), message: message.to_owned(), stack: None }
}
