//! The syntax of handler code, checked by the engine that will run it. Nothing of it is run here.

use std::path::PathBuf;

use api_core::{ApiError, Result};
use sandbox::{Engine, EngineConfig, FailureCode};
use tokio::sync::OnceCell;

/// Checks that may run at once.
const INSTANCES: u32 = 4;

/// The engine is code and holds nothing of a deployment, so a process has one however many servers it runs. It is
/// started by the first upload: a process that serves none needs no engine.
static ENGINE: OnceCell<Engine> = OnceCell::const_new();

/// Parses a module.
///
/// # Errors
/// The inner one: what is wrong with the source. The outer one: 500 when the engine is missing or at fault.
pub(crate) async fn check_syntax(engine_dir: &str, source: &str) -> Result<Result<(), String>> {
    let engine = ENGINE.get_or_try_init(|| start(engine_dir.into())).await?;
    match engine.check(source).await {
        Ok(()) => Ok(Ok(())),
        Err(failure) if matches!(failure.code, FailureCode::Internal | FailureCode::Overloaded) => {
            Err(ApiError::internal(format_args!("server.js could not be checked: {failure}")))
        }
        Err(failure) => Ok(Err(format!("server.js does not parse: {}", position(&failure)))),
    }
}

async fn start(dir: PathBuf) -> Result<Engine> {
    // Seconds of compilation when the engine's cache is cold.
    let started = tokio::task::spawn_blocking(move || {
        Engine::new(EngineConfig { max_instances: INSTANCES, ..EngineConfig::new(dir) })
    });
    started.await.map_err(ApiError::internal)?.map_err(ApiError::internal)
}

fn position(failure: &sandbox::Failure) -> String {
    let place = failure.stack.as_deref().and_then(|stack| stack.lines().next()).unwrap_or_default().trim();
    format!("{}: {} {place}", failure.name, failure.message).trim_end().to_owned()
}
