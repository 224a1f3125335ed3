use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use crate::clock::FixedClock;
use crate::delta::Delta;
use crate::engine_config::{EngineConfig, EngineError};
use crate::failure::{Failure, FailureCode};
use crate::guest::{Answer, Guest, conclude};
use crate::handler::{Export, Handler};
use crate::instances::{Instances, unusable};
use crate::limits::Limits;
use crate::meter::metered;
use crate::state::State;

/// Maximum size of the source of one handler module, in bytes. The bundle limits bound uploads more tightly
/// (reference/extensions.md#sizes).
const MAX_SOURCE_BYTES: usize = 5 * 1024 * 1024;

/// Maximum memory that a module may keep after loading, in bytes: it is copied for every invocation.
const MAX_LOADED_BYTES: usize = 16 * 1024 * 1024;

/// JavaScript engine, shared by the whole process. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    instances: Arc<Instances>,
}

impl Engine {
    /// Starts the engine. Blocks: a millisecond with a warm cache, some seconds of compilation otherwise.
    ///
    /// # Errors
    /// An engine that is missing, differs or cannot be compiled, or an unusable cache.
    pub fn new(config: EngineConfig) -> Result<Self, EngineError> {
        Ok(Self { instances: Arc::new(Instances::start(&config)?) })
    }

    /// Checks that `source` is a loadable module without running it. Returns the names of its exports.
    ///
    /// # Errors
    /// The reason why the module would not load.
    pub async fn check(&self, source: &str) -> Result<Vec<String>, Failure> {
        let (names, _) = self.with_source(source, async |guest| guest.check(source).await).await?;
        serde_json::from_slice(&names)
            .map_err(|error| Failure::internal(format!("the names of exports cannot be read: {error}")))
    }

    /// Loads the module `source`: runs its top level, which cannot reach the host and sees the clock at zero
    /// (reference/handlers.md#form). The result holds no data of any tenant and serves every install of the
    /// version.
    ///
    /// # Errors
    /// The reason why the module does not load.
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
        Ok(Handler::new(self.instances.clone(), delta, exports))
    }

    /// Calls a fresh instance for a module. Returns its answer with the changes in memory.
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
        let limits = Limits::load().bounded(self.instances.max_memory_bytes());
        let _permit = self.instances.permit(Instant::now() + limits.wall).await?;
        let state = State::new(limits, Arc::new(FixedClock(0)), None);
        let (deadline, meter) = (state.time.deadline(), state.meter.clone());
        let mut guest = Guest::new(self.instances.template(), state).await.map_err(unusable)?;
        let stack_pointer = guest.stack_pointer();
        let result = timeout_at(deadline.into(), metered(meter, call(&mut guest))).await.ok();
        let json = conclude(guest.state(), result)?;
        if guest.stack_pointer() != stack_pointer {
            return Err(Failure::internal("the engine left its stack in disorder"));
        }
        Ok((json, Delta::between(self.instances.base(), guest.memory())))
    }
}
