use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use wasmtime::{Config, Engine, EngineWeak, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::clock::FixedClock;
use crate::engine_config::{EngineConfig, EngineError};
use crate::failure::{Failure, FailureCode};
use crate::guest::{Guest, Template};
use crate::limits::Limits;
use crate::snapshot;
use crate::state::State;

/// Interval at which a running guest is interrupted, to let others run and to check its limits.
const EPOCH_INTERVAL: Duration = Duration::from_millis(10);

/// Stack of the guest, and of the fiber that it runs on, which also serves host functions; in bytes.
const GUEST_STACK_BYTES: usize = 1024 * 1024;
/// Size of the fiber's stack, in bytes.
const FIBER_STACK_BYTES: usize = 2 * GUEST_STACK_BYTES;

/// Started engine, and permits for its instances.
pub(crate) struct Instances {
    template: Template,
    /// Linear memory of an instance before any handler is loaded.
    base: Vec<u8>,
    permits: Arc<Semaphore>,
    max_memory_bytes: usize,
}

impl Instances {
    /// Starts the engine. Blocks as [`Engine::new`](crate::Engine::new) does.
    pub(crate) fn start(config: &EngineConfig) -> Result<Self, EngineError> {
        let engine = Engine::new(&wasmtime_config(config))?;
        let module = snapshot::load(config, &engine)?;
        let template = Template::new(&engine, &module)?;
        let base = futures::executor::block_on(base_memory(&template))?;
        tick(engine.weak()).map_err(|source| EngineError::Wasm(source.into()))?;
        Ok(Self {
            template,
            base,
            permits: Arc::new(Semaphore::new(config.max_instances as usize)),
            max_memory_bytes: config.max_memory_bytes,
        })
    }

    /// Waits for a permit to create an instance, at most until `deadline`.
    pub(crate) async fn permit(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, Failure> {
        match timeout_at(deadline, self.permits.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Failure::new(
                FailureCode::Overloaded,
                "InternalError",
                "no instance of the engine became free",
            )),
        }
    }

    pub(crate) fn template(&self) -> &Template {
        &self.template
    }

    pub(crate) fn max_memory_bytes(&self) -> usize {
        self.max_memory_bytes
    }

    pub(crate) fn base(&self) -> &[u8] {
        &self.base
    }
}

/// Failure of an instance that could not be created.
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
        // Most of the memory that an invocation dirties lies below this bound. Copying it back is cheaper
        // than returning the pages to the kernel and faulting them in again.
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
        // Frames of the engine's C code help no developer, and collecting them is expensive.
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
            thread::sleep(EPOCH_INTERVAL);
        }
    };
    thread::Builder::new().name("sandbox-epoch".to_owned()).spawn(ticker).map(drop)
}
