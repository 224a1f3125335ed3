//! JavaScript engine of the process, which checks handler code and runs none
//! (reference/extensions.md#handler-check).

use std::path::PathBuf;

use api_core::{ApiError, Result};
use sandbox::{Engine, EngineConfig};
use tokio::sync::Mutex;

/// Maximum number of concurrent checks.
const MAX_INSTANCES: u32 = 4;

/// The engine is code and holds no state of a deployment, so that a process has one, and one folder to load
/// it from. It is started by the first upload: a process that serves none needs no engine.
static ENGINE: Mutex<Option<(String, Engine)>> = Mutex::const_new(None);

/// Returns the engine of a folder.
///
/// # Errors
/// 500 for an engine that is missing or does not start.
pub async fn of(dir: &str) -> Result<Engine> {
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
