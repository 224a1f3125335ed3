//! Syntax and exports of handler code, checked by the engine that will run it. The code is not run here.

use std::path::PathBuf;

use api_core::{ApiError, Result};
use sandbox::{Engine, EngineConfig, FailureCode};
use tokio::sync::Mutex;

/// Maximum number of concurrent checks.
const MAX_INSTANCES: u32 = 4;

/// The engine is code and holds no state of a deployment, so that a process has one, and one folder to load
/// it from. It is started by the first upload: a process that serves none needs no engine.
static ENGINE: Mutex<Option<(String, Engine)>> = Mutex::const_new(None);

/// Parses and links a module. Returns the names of its exports.
///
/// # Errors
/// The inner error is a fault of the source. The outer error is 500, for an engine that is missing or fails.
pub(crate) async fn exports(engine_dir: &str, source: &str) -> Result<Result<Vec<String>, String>> {
    match engine(engine_dir).await?.check(source).await {
        Ok(names) => Ok(Ok(names)),
        Err(failure) if matches!(failure.code, FailureCode::Internal | FailureCode::Overloaded) => {
            Err(ApiError::internal(format_args!("server.js could not be checked: {failure}")))
        }
        Err(failure) if failure.code == FailureCode::ResponseTooLarge => {
            Ok(Err("server.js has too many exports: their names take more than 1 MiB".to_owned()))
        }
        Err(failure) => Ok(Err(format!("server.js does not parse: {}", position(&failure)))),
    }
}

async fn engine(dir: &str) -> Result<Engine> {
    let mut running = ENGINE.lock().await;
    if let Some((_, engine)) = running.as_ref().filter(|(of, _)| of == dir) {
        return Ok(engine.clone());
    }
    let engine = start(dir.into()).await?;
    *running = Some((dir.to_owned(), engine.clone()));
    Ok(engine)
}

async fn start(dir: PathBuf) -> Result<Engine> {
    // Compilation takes seconds when the engine's cache is cold.
    let started = tokio::task::spawn_blocking(move || {
        Engine::new(EngineConfig { max_instances: MAX_INSTANCES, ..EngineConfig::new(dir) })
    });
    started.await.map_err(ApiError::internal)?.map_err(ApiError::internal)
}

fn position(failure: &sandbox::Failure) -> String {
    let place = failure.stack.as_deref().and_then(|stack| stack.lines().next()).unwrap_or_default().trim();
    format!("{}: {} {place}", failure.name, failure.message).trim_end().to_owned()
}
