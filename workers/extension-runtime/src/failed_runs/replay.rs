//! Replay of a failed invocation, without reaching anything outside (`lumio-worker replay <id>`).

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, bail};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use sandbox::{
    Context, Engine, EngineConfig, Failure, FetchRequest, FetchResponse, Host, HostError, HostRequest,
    Invocation, LogLine,
};
use serde_json::Value;
use shared::schema::{extension_versions, timeseries::extension_failed_runs};
use uuid::Uuid;

use super::StoredRun;

/// Time for which failed runs can be replayed.
const RETENTION: chrono::Duration = chrono::Duration::days(7);

/// Outcome of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// Name of the export.
    pub handler: String,
    /// Failure of the recorded run.
    pub recorded: Failure,
    /// Result of the replay.
    pub result: Result<Value, Failure>,
    /// Lines that the replay logged.
    pub lines: Vec<LogLine>,
}

impl Replayed {
    /// True when the replay ended like the recorded run.
    #[must_use]
    pub fn is_the_same(&self) -> bool {
        self.result.as_ref().is_err_and(|failure| {
            (failure.code, &failure.name, &failure.message)
                == (self.recorded.code, &self.recorded.name, &self.recorded.message)
        })
    }
}

/// Replays a failed invocation; `id` is that of its error.
///
/// # Errors
/// No such run (any longer), a run that was too large to be kept whole, or code that is gone.
pub async fn replay(context: &worker_core::Context, id: Uuid) -> anyhow::Result<Replayed> {
    let (version_id, run) = stored(context, id).await?;
    let run = StoredRun::open(id, &run, &context.keyring).context("the record of the run cannot be read")?;
    let code = code(context, version_id).await?;
    let config = EngineConfig::new(&context.config.workers.engine_dir);
    let engine = tokio::task::spawn_blocking(move || Engine::new(config)).await??;
    run_again(run, &code, &engine).await
}

/// Runs a recorded invocation with a code, which may be another one than it was recorded with.
///
/// # Errors
/// A run that was too large to be kept whole, or code that does not load.
pub(crate) async fn run_again(run: StoredRun, code: &str, engine: &Engine) -> anyhow::Result<Replayed> {
    if run.recording.truncated {
        bail!("the run received more from its host than is stored; it cannot be replayed");
    }
    let handler = match engine.compile(code).await {
        Ok(handler) => handler,
        Err(failure) => bail!("the code of the run does not load: {failure}"),
    };
    let invocation = Invocation {
        kind: run.kind,
        limits: run.limits(),
        seed: run.seed.parse().context("the seed of the run cannot be read")?,
        context: Context { auth: run.auth, config: run.config, user: run.user },
        ..Invocation::new(&*run.handler, run.input)
    };
    let host = Arc::new(Listener::default());
    let outcome = handler.replay(invocation, run.recording, host.clone()).await;
    let result = match outcome.deferred {
        Some(failure) => Err(failure),
        None => outcome.result,
    };
    let lines = std::mem::take(&mut *host.lines.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Replayed { handler: run.handler, recorded: run.failure, result, lines })
}

async fn stored(context: &worker_core::Context, id: Uuid) -> anyhow::Result<(Uuid, Vec<u8>)> {
    use extension_failed_runs::dsl as t;
    let found = t::extension_failed_runs
        .filter(t::id.eq(id).and(t::failed_at.gt(context.clock.now() - RETENTION)))
        .select((t::version_id, t::run))
        .first(&mut *context.databases.timescaledb.get().await?)
        .await
        .optional()?;
    found.with_context(|| format!("there is no failed run {id}; runs are kept for seven days"))
}

async fn code(context: &worker_core::Context, version_id: Uuid) -> anyhow::Result<String> {
    let code: Option<Option<String>> = extension_versions::table
        .find(version_id)
        .select(extension_versions::handler_code)
        .first(&mut *context.databases.postgres.get().await?)
        .await
        .optional()?;
    code.flatten().with_context(|| format!("the code of version {version_id} is gone"))
}

/// Host that only listens: a replay reaches nothing.
#[derive(Default)]
struct Listener {
    lines: Mutex<Vec<LogLine>>,
}

#[async_trait::async_trait]
impl Host for Listener {
    fn log(&self, line: LogLine) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn secret(&self, _name: &str) -> Option<String> {
        None
    }

    async fn fetch(&self, _request: FetchRequest) -> Result<FetchResponse, HostError> {
        Err(HostError::internal("a replayed run reaches nothing"))
    }

    async fn perform(&self, _request: HostRequest) -> Result<Value, HostError> {
        Err(HostError::internal("a replayed run reaches nothing"))
    }

    fn replied(&self, _result: Value) {}
}
