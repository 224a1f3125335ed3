use std::env;
use std::path::{Path, PathBuf};

use crate::limits::Limits;

/// Location of the engine and bounds of its instances.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Folder with `engine.wasm` as `scripts/engine` builds it.
    pub dir: PathBuf,
    /// Folder for the engine as machine code. Must be writable for the owner of this process only; created
    /// when missing.
    pub cache_dir: PathBuf,
    /// Maximum number of instances that exist at the same time. Further invocations wait for one.
    pub max_instances: u32,
    /// Upper bound for [`Limits::memory_bytes`].
    pub max_memory_bytes: usize,
}

impl EngineConfig {
    /// Returns the defaults for an engine in `dir`.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        Self {
            cache_dir: dir.join("cache"),
            dir,
            max_instances: 256,
            max_memory_bytes: Limits::default().memory_bytes,
        }
    }

    /// Returns the folder where `scripts/engine` puts the engine: `$LUMIO_ENGINE_DIR`, else
    /// `$CARGO_TARGET_DIR/engine`, else `$HOME/.cache/lumio/target/engine`.
    ///
    /// # Errors
    /// `NoFolder` when none of these variables is set.
    pub fn default_dir() -> Result<PathBuf, EngineError> {
        let folder = |name: &str| env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        if let Some(dir) = folder("LUMIO_ENGINE_DIR") {
            return Ok(dir);
        }
        if let Some(target) = folder("CARGO_TARGET_DIR") {
            return Ok(target.join("engine"));
        }
        let home = env::home_dir().ok_or(EngineError::NoFolder)?;
        Ok(home.join(".cache/lumio/target/engine"))
    }
}

/// Reason why the engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// No variable names a folder for the engine.
    #[error("neither LUMIO_ENGINE_DIR, CARGO_TARGET_DIR nor HOME says where the JavaScript engine is")]
    NoFolder,
    /// The engine is not built, or cannot be read.
    #[error("cannot read the JavaScript engine {}: {source}; build it with scripts/engine", .path.display())]
    Missing { path: PathBuf, source: std::io::Error },
    /// The engine differs from the one that this version is built for.
    #[error("{} has sha256 {found}, expected {expected}; build it with scripts/engine", .path.display())]
    Unexpected { path: PathBuf, found: String, expected: &'static str },
    /// The cache cannot be written or read.
    #[error("cannot use {} for the compiled JavaScript engine: {source}", .path.display())]
    Cache { path: PathBuf, source: std::io::Error },
    /// Other users may write to the cache.
    #[error("{} holds machine code and others can write to it; take their permission away", .path.display())]
    SharedCache { path: PathBuf },
    /// The WebAssembly runtime failed.
    #[error("the JavaScript engine does not start: {0:#}")]
    Wasm(wasmtime::Error),
}

impl EngineError {
    pub(crate) fn cache(path: &Path, source: std::io::Error) -> Self {
        Self::Cache { path: path.to_owned(), source }
    }
}

impl From<wasmtime::Error> for EngineError {
    fn from(error: wasmtime::Error) -> Self {
        Self::Wasm(error)
    }
}
