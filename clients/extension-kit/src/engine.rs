//! Engine of the sandbox.

use anyhow::{Context, Result};
use sandbox::{Engine, EngineConfig};

/// Starts the engine of the sandbox (reference/extension-kit.md#engine).
///
/// # Errors
/// An engine that is missing or does not start.
pub(crate) async fn engine() -> Result<Engine> {
    let start = || Engine::new(EngineConfig::new(EngineConfig::default_dir()?));
    tokio::task::spawn_blocking(start).await?.context("the engine of the sandbox cannot be started")
}
