use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use wasmtime::{Config, Engine, Module, Store};
use wasmtime_wizer::Wizer;

use crate::clock::FixedClock;
use crate::engine_config::{EngineConfig, EngineError};
use crate::imports;
use crate::limits::Limits;
use crate::state::State;

/// SHA-256 of the engine that `scripts/engine` must have built.
const ENGINE_SHA256: &str = include_str!("../engine/engine.sha256").trim_ascii();

/// Returns the booted engine as machine code: from the cache, or built and cached.
///
/// The cached file is machine code that runs unchecked, so it is read only from a folder that other users
/// cannot write to, under a name that identifies its inputs.
pub(crate) fn load(config: &EngineConfig, engine: &Engine) -> Result<Module, EngineError> {
    let wasm = read_engine(&config.dir)?;
    let cache = &config.cache_dir;
    prepare_cache(cache)?;
    let path = cache.join(format!("{}-{:016x}.cwasm", &ENGINE_SHA256[..16], compatibility(engine)));

    if let Ok(module) = deserialize(engine, &path) {
        return Ok(module);
    }
    // One process builds; the others wait for it and find the file.
    let lock = File::create(cache.join("lock")).map_err(|error| EngineError::cache(cache, error))?;
    lock.lock().map_err(|error| EngineError::cache(cache, error))?;
    if let Ok(module) = deserialize(engine, &path) {
        return Ok(module);
    }
    tracing::info!(path = %path.display(), "compiling the JavaScript engine to machine code");
    let code = engine.precompile_module(&take_snapshot(&wasm)?)?;
    write_whole(&path, &code).map_err(|error| EngineError::cache(&path, error))?;
    Ok(deserialize(engine, &path)?)
}

/// Checks that a folder has the engine that this version is built for, without starting it.
///
/// # Errors
/// `Missing` or `Unexpected`.
pub fn check_engine(dir: &Path) -> Result<(), EngineError> {
    read_engine(dir).map(drop)
}

fn read_engine(dir: &Path) -> Result<Vec<u8>, EngineError> {
    let path = dir.join("engine.wasm");
    let wasm = fs::read(&path).map_err(|source| EngineError::Missing { path: path.clone(), source })?;
    let found = hex::encode(Sha256::digest(&wasm));
    if found != ENGINE_SHA256 {
        return Err(EngineError::Unexpected { path, found, expected: ENGINE_SHA256 });
    }
    Ok(wasm)
}

fn prepare_cache(cache: &Path) -> Result<(), EngineError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(cache).map_err(|error| EngineError::cache(cache, error))?;
    let mode = fs::metadata(cache).map_err(|error| EngineError::cache(cache, error))?.permissions().mode();
    if mode & 0o022 != 0 {
        return Err(EngineError::SharedCache { path: cache.to_owned() });
    }
    Ok(())
}

/// Returns a hash that changes with the version of wasmtime, its settings and the processor.
fn compatibility(engine: &Engine) -> u64 {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.finish()
}

/// Runs the start of the engine once and keeps its memory as a module of its own.
///
/// The clock is at zero, so that the result depends on the engine only.
fn take_snapshot(wasm: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let engine = Engine::new(&Config::new())?;
    let linker = imports::linker(&engine)?;
    let mut store = Store::new(&engine, State::new(Limits::load(), Arc::new(FixedClock(0)), None));
    let mut wizer = Wizer::new();
    wizer.init_func("wizer.initialize");
    futures::executor::block_on(
        wizer.run(&mut store, wasm, async |store, module| linker.instantiate_async(store, module).await),
    )
}

/// Writes under another name first: a file with the final name is complete.
fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    let mut file = File::create(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(unfinished, path)
}

#[expect(unsafe_code, reason = "loading machine code cannot be checked; the file is ours, see `load`")]
fn deserialize(engine: &Engine, path: &Path) -> wasmtime::Result<Module> {
    // SAFETY: only `write_whole` above writes files of this name, into a folder that other users cannot write
    // to, and always completely; their content comes from `precompile_module`.
    unsafe { Module::deserialize_file(engine, path) }
}
