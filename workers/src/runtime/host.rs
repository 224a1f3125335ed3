//! What one invocation can reach outside its sandbox.

use std::sync::{Arc, Mutex, PoisonError};

use sandbox::{FetchRequest, FetchResponse, Host, HostError, HostErrorKind, LogLine};

use tokio::sync::Semaphore;

use super::{
    egress::{AllowList, Budget, Egress},
    metrics::RuntimeMetrics,
    secrets::SecretsOfExtension,
};

/// Requests of one invocation that are under way at once; further ones wait. An account's invocations together thus
/// leave most of the process's places to others.
const FETCHES_AT_ONCE: usize = 4;

/// The host of one invocation: it knows the install it acts for and nothing of any other.
pub struct InvocationHost {
    egress: Egress,
    allow_list: AllowList,
    secrets: SecretsOfExtension,
    metrics: RuntimeMetrics,
    lines: Mutex<Vec<LogLine>>,
    fetches: Semaphore,
    answers: Budget,
}

impl InvocationHost {
    pub fn new(
        egress: Egress,
        allow_list: AllowList,
        secrets: SecretsOfExtension,
        metrics: RuntimeMetrics,
    ) -> Arc<Self> {
        Arc::new(Self {
            egress,
            allow_list,
            secrets,
            metrics,
            lines: Mutex::default(),
            fetches: Semaphore::new(FETCHES_AT_ONCE),
            answers: Budget::default(),
        })
    }

    /// The lines logged since the last call.
    pub fn take_lines(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
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
        let _turn =
            self.fetches.acquire().await.map_err(|_closed| HostError::internal("ctx.fetch is closed"))?;
        let answer = self.egress.fetch(&self.allow_list, request, &self.answers).await;
        self.metrics.fetched(match &answer {
            Ok(_) => "ok",
            Err(error) if error.kind == HostErrorKind::Egress => "denied",
            Err(_) => "failed",
        });
        answer
    }
}
