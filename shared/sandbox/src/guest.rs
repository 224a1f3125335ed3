use wasmtime::{
    Engine, Error, Instance, InstancePre, Memory, Module, ModuleExport, Result, Store, Trap, TypedFunc, Val,
    WasmParams,
};

use crate::delta::Delta;
use crate::failure::{Failure, FailureCode};
use crate::imports;
use crate::recording::diverged;
use crate::state::{Exhausted, State, exhausted_message, on_epoch};

/// Maximum size of the error that the guest may describe, in bytes; `runtime.js` cuts its parts well below.
const MAX_FAILURE_BYTES: usize = 128 * 1024;

/// Compiled engine from which instances are created.
pub(crate) struct Template {
    instances: InstancePre<State>,
    memory: ModuleExport,
    stack_pointer: ModuleExport,
    allocate: ModuleExport,
    check: ModuleExport,
    load: ModuleExport,
    invoke: ModuleExport,
}

impl Template {
    pub(crate) fn new(engine: &Engine, module: &Module) -> Result<Self> {
        let export = |name: &str| {
            module.get_export_index(name).ok_or_else(|| Error::msg(format!("the engine exports no {name}")))
        };
        Ok(Self {
            instances: imports::linker(engine)?.instantiate_pre(module)?,
            memory: export("memory")?,
            stack_pointer: export("__stack_pointer")?,
            allocate: export("allocate")?,
            check: export("check")?,
            load: export("load")?,
            invoke: export("invoke")?,
        })
    }
}

/// Instance of the engine. It serves one call and is then dropped, whatever the result.
pub(crate) struct Guest<'a> {
    template: &'a Template,
    store: Store<State>,
    instance: Instance,
    memory: Memory,
}

/// Result of a call of the guest: JSON text, or JavaScript's error.
pub(crate) type Answer = std::result::Result<Vec<u8>, GuestFailure>;

/// Error as `describeError` of `engine/runtime.js` writes it.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct GuestFailure {
    name: String,
    message: String,
    stack: Option<String>,
    code: Option<FailureCode>,
}

impl<'a> Guest<'a> {
    pub(crate) async fn new(template: &'a Template, state: State) -> Result<Self> {
        let mut store = Store::new(template.instances.module().engine(), state);
        store.limiter(|state| &mut state.heap);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(on_epoch);
        let instance = template.instances.instantiate_async(&mut store).await?;
        let memory = instance
            .get_module_export(&mut store, &template.memory)
            .and_then(wasmtime::Extern::into_memory)
            .ok_or_else(|| Error::msg("the engine exports no memory"))?;
        Ok(Self { template, store, instance, memory })
    }

    pub(crate) async fn from_delta(template: &'a Template, state: State, delta: &Delta) -> Result<Self> {
        let mut guest = Self::new(template, state).await?;
        let missing = delta.memory_bytes().saturating_sub(guest.memory.data_size(&guest.store));
        if missing > 0 {
            let pages = missing.div_ceil(wasm_page_bytes(&guest)) as u64;
            guest.memory.grow_async(&mut guest.store, pages).await?;
        }
        delta.apply(guest.memory.data_mut(&mut guest.store));
        Ok(guest)
    }

    /// Compiles and links a module without running it; the answer lists the names of its exports.
    pub(crate) async fn check(&mut self, source: &str) -> Result<Answer> {
        let pointer = self.write_bytes(source.as_bytes()).await?;
        let check = self.function::<(u32, u32)>(&self.template.check)?;
        let outcome = check.call_async(&mut self.store, (pointer, source.len() as u32)).await?;
        self.answer(outcome)
    }

    /// Loads the handler module; the answer lists its exports.
    pub(crate) async fn load(&mut self, source: &str) -> Result<Answer> {
        let pointer = self.write_bytes(source.as_bytes()).await?;
        let load = self.function::<(u32, u32)>(&self.template.load)?;
        let outcome = load.call_async(&mut self.store, (pointer, source.len() as u32)).await?;
        self.answer(outcome)
    }

    /// Calls a handler with a request in JSON.
    pub(crate) async fn invoke(&mut self, request: Vec<u8>, seed: u64) -> Result<Answer> {
        let (pointer, length) = (self.write_bytes(&request).await?, request.len() as u32);
        drop(request);
        let invoke = self.function::<(u32, u32, u64)>(&self.template.invoke)?;
        let outcome = invoke.call_async(&mut self.store, (pointer, length, seed)).await?;
        self.answer(outcome)
    }

    pub(crate) fn state(&self) -> &State {
        self.store.data()
    }

    pub(crate) fn state_mut(&mut self) -> &mut State {
        self.store.data_mut()
    }

    pub(crate) fn memory(&self) -> &[u8] {
        self.memory.data(&self.store)
    }

    /// Returns the stack pointer; between calls it always has the same value.
    pub(crate) fn stack_pointer(&mut self) -> Option<i32> {
        let global =
            self.instance.get_module_export(&mut self.store, &self.template.stack_pointer)?.into_global()?;
        match global.get(&mut self.store) {
            Val::I32(pointer) => Some(pointer),
            _ => None,
        }
    }

    fn function<P: WasmParams>(&mut self, export: &ModuleExport) -> Result<TypedFunc<P, u32>> {
        self.instance
            .get_module_export(&mut self.store, export)
            .and_then(wasmtime::Extern::into_func)
            .ok_or_else(|| Error::msg("the engine lacks a function"))?
            .typed(&self.store)
    }

    /// Copies `bytes` into memory that the guest owns from then on.
    async fn write_bytes(&mut self, bytes: &[u8]) -> Result<u32> {
        let allocate = self.function::<u32>(&self.template.allocate)?;
        let pointer = allocate.call_async(&mut self.store, u32::try_from(bytes.len())?).await?;
        if pointer == 0 {
            return Err(Error::msg("no memory left in the guest"));
        }
        self.memory.write(&mut self.store, pointer as usize, bytes)?;
        Ok(pointer)
    }

    /// Reads the result that the `outcome` of `engine/shim.c` points at.
    fn answer(&self, outcome: u32) -> Result<Answer> {
        let memory = self.memory();
        let fields = &memory[imports::range(memory.len(), outcome, 12)?];
        let field = |index: usize| {
            let bytes = &fields[index * 4..index * 4 + 4];
            bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
        };
        let text = &memory[imports::range(memory.len(), field(1), field(2))?];
        if field(0) == 0 {
            let limit = self.state().limits.reply_bytes;
            if text.len() > limit {
                return Ok(Err(GuestFailure::too_large(text.len(), limit)));
            }
            return Ok(Ok(text.to_vec()));
        }
        if text.len() > MAX_FAILURE_BYTES {
            return Err(Error::msg("the guest describes its failure at too great a length"));
        }
        Ok(Err(serde_json::from_slice(text)?))
    }
}

fn wasm_page_bytes(guest: &Guest<'_>) -> usize {
    guest.memory.page_size(&guest.store) as usize
}

impl GuestFailure {
    fn too_large(bytes: usize, limit: usize) -> Self {
        Self {
            name: "Error".to_owned(),
            message: format!("the result is {bytes} bytes of JSON; the limit is {limit}"),
            stack: None,
            code: Some(FailureCode::ResponseTooLarge),
        }
    }

    fn into_failure(self, state: &State) -> Failure {
        let code = self.code.unwrap_or(FailureCode::HandlerError);
        let stack = state.without_secrets(handler_frames(&self.stack.unwrap_or_default()));
        Failure::new(code, &self.name, state.without_secrets(self.message)).with_stack(stack)
    }
}

/// Removes frames of the runtime itself, which mean nothing to an author.
fn handler_frames(stack: &str) -> String {
    let frames: Vec<&str> =
        stack.lines().map(str::trim).filter(|frame| !frame.is_empty() && !frame.contains("lumio:")).collect();
    frames.join("\n")
}

/// Determines the reason why a call ended, in this order: memory, time, anything else.
///
/// An instance that exceeded its memory has failed even when its code caught the error
/// (reference/handlers.md#limits-of-a-call).
pub(crate) fn conclude(
    state: &State,
    result: Option<Result<Answer>>,
) -> std::result::Result<Vec<u8>, Failure> {
    if state.diverged {
        return Err(diverged());
    }
    if state.heap.refused {
        let limit = state.limits.memory_bytes / (1024 * 1024);
        return Err(Failure::new(
            FailureCode::MemoryLimit,
            "RangeError",
            format!("out of memory: the limit is {limit} MiB"),
        ));
    }
    let timed_out = if result.is_none() { Some(Exhausted::Wall) } else { state.exhausted };
    if let Some(exhausted) = timed_out {
        return Err(Failure::new(
            FailureCode::Timeout,
            "TimeoutError",
            exhausted_message(exhausted, &state.limits),
        ));
    }
    match result {
        Some(Ok(Ok(json))) => Ok(json),
        Some(Ok(Err(failure))) => Err(failure.into_failure(state)),
        Some(Err(error)) => Err(trapped(&error)),
        None => Err(Failure::internal("no result")),
    }
}

fn trapped(error: &Error) -> Failure {
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => {
            Failure::new(FailureCode::Crashed, "RangeError", "stack exhausted: the code nests too deeply")
        }
        Some(trap) => {
            Failure::new(FailureCode::Crashed, "InternalError", format!("the engine crashed: {trap}"))
        }
        None => Failure::internal(format!("{error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::FixedClock;
    use crate::engine_config::EngineConfig;
    use crate::instances::Instances;
    use crate::limits::Limits;

    fn state() -> State {
        State::new(Limits::default(), Arc::new(FixedClock(0)), None)
    }

    /// Returns all the memory that an instance can get, as it finds it.
    async fn whole_memory(guest: &mut Guest<'_>) -> Vec<u8> {
        let missing = Limits::default().memory_bytes - guest.memory().len();
        let pages = (missing / wasm_page_bytes(guest)) as u64;
        guest.memory.grow_async(&mut guest.store, pages).await.unwrap();
        guest.memory().to_vec()
    }

    #[tokio::test]
    async fn guest_holds_no_bytes_of_an_earlier_instance() {
        let dir = EngineConfig::default_dir().unwrap();
        // One permit, so that each instance reuses the memory of the one before it.
        let config = EngineConfig { max_instances: 1, ..EngineConfig::new(dir) };
        let sandbox = Instances::start(&config).unwrap();
        let mut clean = Guest::new(sandbox.template(), state()).await.unwrap();
        let untouched = whole_memory(&mut clean).await;
        drop(clean);

        let mut first = Guest::new(sandbox.template(), state()).await.unwrap();
        let fill = "export const kept = []; for (let i = 0; i < 40; i++) kept.push('secret'.repeat(200_000))";
        assert!(first.load(fill).await.unwrap().is_ok());
        assert!(first.memory().len() > 40 * 1024 * 1024);
        drop(first);
        let mut second = Guest::new(sandbox.template(), state()).await.unwrap();

        assert!(whole_memory(&mut second).await == untouched);
    }
}
