//! Host of one invocation: everything that it can reach outside its sandbox.

use std::sync::{Arc, Mutex, PoisonError};

use sandbox::{FetchRequest, FetchResponse, Host, HostError, HostErrorKind, HostRequest, LogLine};
use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;
use usage_model::{Counter, Metered, Unit};

use super::{
    actions::ActionRunner,
    cache::Namespace,
    egress::{AllowList, Budget, Egress, Failure},
    metrics::RuntimeMetrics,
    push::PushLine,
    secrets::SecretsOfExtension,
    storage::Access,
};

/// Maximum number of concurrent requests of one invocation; further ones wait. An account's invocations
/// together thus leave most of the process's permits to others.
pub(crate) const MAX_CONCURRENT_FETCHES: usize = 4;

/// Everything that an invocation reaches. Made for one install, without access to any other.
pub struct Reach {
    /// Client of `ctx.fetch`.
    pub egress: Egress,
    /// Hosts and ports that it may reach.
    pub allow_list: AllowList,
    /// Secrets of the extension.
    pub secrets: SecretsOfExtension,
    /// Metrics of the runtime.
    pub metrics: RuntimeMetrics,
    /// Meter of the extension.
    pub usage: Metered,
    /// Storage of `ctx.db`.
    pub storage: Access,
    /// Cache of `ctx.cache`.
    pub cache: Namespace,
    /// Messages of `ctx.push`.
    pub push: PushLine,
    /// Actions of `ctx.actions`.
    pub actions: ActionRunner,
    /// Gets the result when it comes before the end.
    pub reply: oneshot::Sender<Value>,
    /// Cancelled when the result has reached its caller.
    pub delivered: CancellationToken,
}

/// Host of one invocation.
pub struct InvocationHost {
    egress: Egress,
    allow_list: AllowList,
    secrets: SecretsOfExtension,
    metrics: RuntimeMetrics,
    usage: Metered,
    storage: Access,
    cache: Namespace,
    push: PushLine,
    actions: ActionRunner,
    reply: Mutex<Option<oneshot::Sender<Value>>>,
    delivered: CancellationToken,
    lines: Mutex<Vec<LogLine>>,
    fetches: Semaphore,
    answers: Budget,
}

impl InvocationHost {
    /// Returns the host of an invocation with this reach.
    pub fn new(reach: Reach) -> Arc<Self> {
        Arc::new(Self {
            egress: reach.egress,
            allow_list: reach.allow_list,
            secrets: reach.secrets,
            metrics: reach.metrics,
            usage: reach.usage,
            storage: reach.storage,
            cache: reach.cache,
            push: reach.push,
            actions: reach.actions,
            reply: Mutex::new(Some(reach.reply)),
            delivered: reach.delivered,
            lines: Mutex::default(),
            fetches: Semaphore::new(MAX_CONCURRENT_FETCHES),
            answers: Budget::default(),
        })
    }

    /// Returns the lines logged since the last call.
    pub fn take_lines(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Commits a mutation and publishes its pushes.
    ///
    /// # Errors
    /// A commit that failed.
    pub async fn commit(&self) -> Result<(), HostError> {
        self.storage.commit().await?;
        self.push.release().await;
        Ok(())
    }

    /// Rolls a mutation back.
    pub async fn roll_back(&self) {
        self.storage.roll_back().await;
    }
}

/// Refusal of a write while a budget of stored bytes is used up. Deletions are not refused.
pub(crate) fn storage_budget_reached() -> HostError {
    HostError::limit("ctx.db: the budget of stored bytes is used up")
}

#[async_trait::async_trait]
impl Host for InvocationHost {
    fn log(&self, line: LogLine) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn secret(&self, name: &str) -> Option<String> {
        self.secrets.get(name).map(|secret| secret.expose().to_owned())
    }

    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, HostError> {
        let _permit =
            self.fetches.acquire().await.map_err(|_closed| HostError::internal("ctx.fetch is closed"))?;
        if self.usage.stop(Unit::Fetches).is_some() {
            return Err(HostError::limit("ctx.fetch: the budget of fetches is used up"));
        }
        let counted = self.usage.count(Counter::Fetches);
        // Before anything is sent: a kill leaves no request without its count (reference/usage.md#counting).
        counted.stored().await;
        let answer = self.egress.fetch(&self.allow_list, request, &self.answers).await;
        let is_denied = |failure: &Failure| failure.error.kind == HostErrorKind::Egress;
        // Nothing was sent. A redirect that is denied comes after a hop that was.
        if answer.as_ref().is_err_and(|failure| is_denied(failure) && !failure.is_redirected) {
            self.usage.take_back(&counted).stored().await;
        }
        self.metrics.fetched(match &answer {
            Ok(_) => "ok",
            Err(failure) if is_denied(failure) => "denied",
            Err(_) => "failed",
        });
        answer.map_err(|failure| failure.error)
    }

    async fn perform(&self, request: HostRequest) -> Result<Value, HostError> {
        match &request {
            HostRequest::CacheGet(_)
            | HostRequest::CacheSet(_)
            | HostRequest::CacheDelete(_)
            | HostRequest::CacheIncrement(_) => self.cache.perform(&request).await,
            HostRequest::Push(push) => self.push.push(push).await,
            HostRequest::RunAction(action) => self.actions.run(action).await,
            HostRequest::InsertRow(_) | HostRequest::PatchRow(_) | HostRequest::SetValue(_)
                if self.usage.stop(Unit::StoredBytes).is_some() =>
            {
                Err(storage_budget_reached())
            }
            _ => self.storage.perform(&request).await,
        }
    }

    fn replied(&self, result: Value) {
        let reply = self.reply.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(reply) = reply
            && reply.send(result).is_err()
        {
            tracing::debug!("no caller waits for a result");
        }
    }

    async fn delivered(&self) {
        self.delivered.cancelled().await;
    }
}
