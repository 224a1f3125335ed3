use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use wasmtime::{Config, Engine, Instance, Module, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

use crate::clock::FixedClock;
use crate::engine_config::{EngineConfig, EngineError};
use crate::imports;
use crate::limits::Limits;
use crate::state::State;

/// SHA-256 of the engine that `scripts/engine` must have built.
const ENGINE_SHA256: &str = include_str!("../engine/engine.sha256").trim_ascii();

/// Export of the engine that starts it; the snapshot lacks it.
const START: &str = "wizer.initialize";

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
fn take_snapshot(wasm: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer.init_func(START);
    let (context, instrumented) = wizer.instrument(wasm)?;
    futures::executor::block_on(async {
        let mut started = Started::run(&instrumented).await?;
        let snapshot = wizer.snapshot(&context, &mut started).await?;
        started.unreadable.map_or(Ok(snapshot), Err)
    })
}

/// Instance of the engine after its start, as wizer reads it.
struct Started {
    store: Store<State>,
    instance: Instance,
    /// Export that could not be read. [`InstanceState`] has no errors, so that it is kept here.
    unreadable: Option<wasmtime::Error>,
}

impl Started {
    /// Starts the instrumented engine. The clock is at zero, so that the result depends on the engine only.
    async fn run(wasm: &[u8]) -> wasmtime::Result<Self> {
        let engine = Engine::new(&Config::new())?;
        let module = Module::new(&engine, wasm)?;
        let mut store = Store::new(&engine, State::new(Limits::load(), Arc::new(FixedClock(0)), None));
        let instance = imports::linker(&engine)?.instantiate_async(&mut store, &module).await?;
        let start = instance.get_typed_func::<(), ()>(&mut store, START)?;
        start.call_async(&mut store, ()).await?;
        Ok(Self { store, instance, unreadable: None })
    }

    fn note_unreadable(&mut self, export: &str) {
        self.unreadable = Some(wasmtime::Error::msg(format!("the started engine has no readable {export}")));
    }
}

impl InstanceState for Started {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&mut self.store, name);
        match global.map(|global| global.get(&mut self.store)) {
            Some(Val::I32(value)) => SnapshotVal::I32(value),
            Some(Val::I64(value)) => SnapshotVal::I64(value),
            Some(Val::F32(bits)) => SnapshotVal::F32(bits),
            Some(Val::F64(bits)) => SnapshotVal::F64(bits),
            _ => {
                self.note_unreadable(name);
                SnapshotVal::I32(0)
            }
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        match self.instance.get_memory(&mut self.store, name) {
            Some(memory) => contents(memory.data(&self.store)),
            None => {
                self.note_unreadable(name);
                contents(&[]);
            }
        }
    }
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
