use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use wasmtime::{Config, EngineWeak, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::clock::FixedClock;
use crate::delta::Delta;
use crate::guest::{Answer, Guest, Template, conclude};
use crate::handler::{Export, Handler};
use crate::limits::Limits;
use crate::meter::metered;
use crate::outcome::{Failure, FailureCode};
use crate::snapshot;
use crate::state::State;

/// How often a running guest is interrupted to let others run and to look at its limits.
const EPOCH: Duration = Duration::from_millis(10);

/// Source of one handler module. Uploads are bounded more tightly by the bundle limits of B §8.
const MAX_SOURCE_BYTES: usize = 5 * 1024 * 1024;

/// What a module may keep in memory after loading: it is copied for every invocation.
const MAX_LOADED_BYTES: usize = 16 * 1024 * 1024;

/// Stack of the guest, and of the fiber it runs on, which also serves host functions.
const GUEST_STACK_BYTES: usize = 1024 * 1024;
const FIBER_STACK_BYTES: usize = 2 * GUEST_STACK_BYTES;

/// Where the engine is, and how much of it there may be at once.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Folder with `engine.wasm` as `scripts/engine` makes it.
    pub dir: PathBuf,
    /// Folder for the engine as machine code. Must be writable for this process and nobody else; made when missing.
    pub cache_dir: PathBuf,
    /// Instances that may be alive at once. Further invocations wait for one.
    pub max_instances: u32,
    /// Upper bound for [`Limits::memory_bytes`].
    pub max_memory_bytes: usize,
}

impl EngineConfig {
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        Self {
            cache_dir: dir.join("cache"),
            dir,
            max_instances: 256,
            max_memory_bytes: Limits::default().memory_bytes,
        }
    }

    /// Where `scripts/engine` puts the engine: `$LUMIO_ENGINE_DIR`, else `$CARGO_TARGET_DIR/engine`, else
    /// `$HOME/.cache/lumio/target/engine`.
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

/// Why the engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("neither LUMIO_ENGINE_DIR, CARGO_TARGET_DIR nor HOME says where the JavaScript engine is")]
    NoFolder,
    #[error("cannot read the JavaScript engine {}: {source}; build it with scripts/engine", .path.display())]
    Missing { path: PathBuf, source: std::io::Error },
    #[error("{} has sha256 {found}, expected {expected}; build it with scripts/engine", .path.display())]
    Unexpected { path: PathBuf, found: String, expected: &'static str },
    #[error("cannot use {} for the compiled JavaScript engine: {source}", .path.display())]
    Cache { path: PathBuf, source: std::io::Error },
    #[error("{} holds machine code and others can write to it; take their permission away", .path.display())]
    SharedCache { path: PathBuf },
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

/// The JavaScript engine, shared by everything in the process. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    template: Template,
    /// Linear memory of an instance before any handler is loaded.
    base: Vec<u8>,
    instances: Arc<Semaphore>,
    max_memory_bytes: usize,
}

impl Engine {
    /// Starts the engine. Blocks: a millisecond when the cache is warm, some seconds of compilation when it is not.
    pub fn new(config: EngineConfig) -> Result<Self, EngineError> {
        let engine = wasmtime::Engine::new(&wasmtime_config(&config))?;
        let module = snapshot::load(&config, &engine)?;
        let template = Template::new(&engine, &module)?;
        let base = futures::executor::block_on(base_memory(&template))?;
        tick(engine.weak()).map_err(|source| EngineError::Wasm(source.into()))?;
        Ok(Self {
            shared: Arc::new(Shared {
                template,
                base,
                instances: Arc::new(Semaphore::new(config.max_instances as usize)),
                max_memory_bytes: config.max_memory_bytes,
            }),
        })
    }

    /// Checks that `source` is a module that could be loaded, without running it, and lists the names of its exports.
    pub async fn check(&self, source: &str) -> Result<Vec<String>, Failure> {
        let (names, _) = self.with_source(source, async |guest| guest.check(source).await).await?;
        serde_json::from_slice(&names)
            .map_err(|error| Failure::internal(format!("the names of exports cannot be read: {error}")))
    }

    /// Loads the module `source` (C §B3.1): runs its top level, where nothing of the host can be reached and the
    /// clock stands at zero. The result holds no data of any tenant and serves every install of the version.
    pub async fn compile(&self, source: &str) -> Result<Handler, Failure> {
        let (exports, delta) = self.with_source(source, async |guest| guest.load(source).await).await?;
        let exports: Vec<Export> = serde_json::from_slice(&exports)
            .map_err(|error| Failure::internal(format!("the list of exports cannot be read: {error}")))?;
        if delta.changed_bytes() > MAX_LOADED_BYTES {
            return Err(Failure::new(
                FailureCode::MemoryLimit,
                "RangeError",
                format!(
                    "the module keeps {} bytes in memory after loading; the limit is {MAX_LOADED_BYTES}",
                    delta.changed_bytes()
                ),
            ));
        }
        Ok(Handler::new(self.clone(), delta, exports))
    }

    /// Calls a fresh instance for a module and gives the answer with what that changed in memory.
    async fn with_source(
        &self,
        source: &str,
        call: impl AsyncFnOnce(&mut Guest<'_>) -> wasmtime::Result<Answer>,
    ) -> Result<(Vec<u8>, Delta), Failure> {
        if source.len() > MAX_SOURCE_BYTES {
            return Err(Failure::new(
                FailureCode::SyntaxError,
                "SyntaxError",
                format!("the module is {} bytes long; the limit is {MAX_SOURCE_BYTES}", source.len()),
            ));
        }
        let limits = Limits::load().bounded(self.shared.max_memory_bytes);
        let _permit = self.instance(Instant::now() + limits.wall).await?;
        let state = State::new(limits, Arc::new(FixedClock(0)), None);
        let (deadline, meter) = (state.time.deadline(), state.meter.clone());
        let mut guest = Guest::new(&self.shared.template, state).await.map_err(unusable)?;
        let stack_pointer = guest.stack_pointer();
        let result = timeout_at(deadline.into(), metered(meter, call(&mut guest))).await.ok();
        let json = conclude(guest.state(), result)?;
        if guest.stack_pointer() != stack_pointer {
            return Err(Failure::internal("the engine left its stack in disorder"));
        }
        Ok((json, Delta::between(&self.shared.base, guest.memory())))
    }

    /// Waits for a place among the instances, at most until `deadline`.
    pub(crate) async fn instance(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, Failure> {
        match timeout_at(deadline, self.shared.instances.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Failure::new(
                FailureCode::Overloaded,
                "InternalError",
                "no instance of the engine became free",
            )),
        }
    }

    pub(crate) fn template(&self) -> &Template {
        &self.shared.template
    }

    pub(crate) fn max_memory_bytes(&self) -> usize {
        self.shared.max_memory_bytes
    }
}

/// No instance could be made.
pub(crate) fn unusable(error: wasmtime::Error) -> Failure {
    Failure::internal(format!("no instance of the engine: {error:#}"))
}

fn wasmtime_config(config: &EngineConfig) -> Config {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(config.max_instances)
        .total_memories(config.max_instances)
        .total_tables(config.max_instances)
        .total_stacks(config.max_instances)
        .max_memory_size(config.max_memory_bytes)
        .max_unused_warm_slots(config.max_instances)
        // Most of what an invocation dirties lies below this; putting it back by copying is cheaper than giving the
        // pages to the kernel and faulting them in again.
        .linear_memory_keep_resident(1024 * 1024)
        .table_keep_resident(64 * 1024)
        .async_stack_keep_resident(32 * 1024);

    let mut wasmtime = Config::new();
    wasmtime
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .memory_init_cow(true)
        .epoch_interruption(true)
        .max_wasm_stack(GUEST_STACK_BYTES)
        .async_stack_size(FIBER_STACK_BYTES)
        // Frames of the engine's C code help nobody, and collecting them costs.
        .wasm_backtrace_max_frames(None);
    wasmtime
}

async fn base_memory(template: &Template) -> wasmtime::Result<Vec<u8>> {
    let state = State::new(Limits::load(), Arc::new(FixedClock(0)), None);
    Ok(Guest::new(template, state).await?.memory().to_vec())
}

/// Advances the epoch as long as the engine exists.
fn tick(engine: EngineWeak) -> std::io::Result<()> {
    let ticker = move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(EPOCH);
        }
    };
    thread::Builder::new().name("sandbox-epoch".to_owned()).spawn(ticker).map(drop)
}
