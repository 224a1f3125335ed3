use std::ops::Range;

use futures::StreamExt;
use serde_json::json;
use wasmtime::{Caller, Engine, Error, Extern, Linker, Result};

use crate::failure::FailureCode;
use crate::host::{HostError, HostErrorKind};
use crate::meter::unmetered;
use crate::operations;
use crate::recording::Played;
use crate::reply::{Completion, Reply};
use crate::state::{Exhausted, State};

/// Maximum length of an operation's name, in bytes; anything longer is no name.
const MAX_NAME_BYTES: usize = 64;

/// Defines the functions that the guest imports (see `engine/shim.c`). Checks every pointer and length that
/// it passes: a memory error in the guest may produce any value.
pub(crate) fn linker(engine: &Engine) -> Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    linker.func_wrap("lumio", "call", call)?;
    linker.func_wrap("lumio", "start", start)?;
    linker.func_wrap_async("lumio", "wait", |caller: Caller<'_, State>, (completion,): (u32,)| {
        Box::new(wait(caller, completion))
    })?;
    linker.func_wrap("lumio", "take", take)?;
    linker.func_wrap("env", "__rquickjs_host_now_us", |mut caller: Caller<'_, State>| -> f64 {
        caller.data_mut().read_clock() as f64
    })?;
    Ok(linker)
}

fn call(
    mut caller: Caller<'_, State>,
    operation: u32,
    operation_length: u32,
    argument: u32,
    argument_length: u32,
) -> Result<i32> {
    let (memory, state) = memory_and_state(&mut caller)?;
    let operation = name(memory, operation, operation_length)?;
    let argument = bytes(memory, argument, argument_length)?;
    let result = match &mut state.player {
        Some(player) => match player.call() {
            Played::Answer(answer) => {
                operations::replay_call(state, operation, argument);
                answer
            }
            Played::Over | Played::Diverged => return Err(state.diverge()),
        },
        None => {
            let limit = operations::call_limit(state, operation);
            let result = sized(argument.len(), limit);
            result
                .and_then(|()| operations::call(state, operation, argument))
                .map_err(|error| error_json(&error))
        }
    };
    if let Some(recorder) = &mut state.recorder {
        match &result {
            Ok(text) => recorder.call(false, text),
            Err(text) => recorder.call(true, text),
        }
    }
    match result {
        Ok(reply) => leave_reply(state, reply.into_bytes()),
        Err(error) => leave_error(state, error),
    }
}

fn start(
    mut caller: Caller<'_, State>,
    operation: u32,
    operation_length: u32,
    argument: u32,
    argument_length: u32,
    body: u32,
    body_length: u32,
) -> Result<i32> {
    let (memory, state) = memory_and_state(&mut caller)?;
    let operation = name(memory, operation, operation_length)?;
    let (argument, body) = (bytes(memory, argument, argument_length)?, bytes(memory, body, body_length)?);
    let result = match &mut state.player {
        Some(player) => match player.start() {
            Played::Answer(answer) => answer.map(|()| state.take_ticket()),
            Played::Over | Played::Diverged => return Err(state.diverge()),
        },
        None => sized(argument.len() + body.len(), state.limits.argument_bytes)
            .and_then(|()| operations::start(state, operation, argument, body))
            .map_err(|error| error_json(&error)),
    };
    if let Some(recorder) = &mut state.recorder {
        recorder.started(result.as_ref().err().map(String::as_str));
    }
    match result {
        Ok(ticket) => Ok(ticket),
        Err(error) => leave_error(state, error),
    }
}

/// Suspends the guest until one of its operations has ended.
async fn wait(mut caller: Caller<'_, State>, completion: u32) -> Result<()> {
    let (ticket, failed, reply) = ended(caller.data_mut()).await?;
    if let Some(recorder) = &mut caller.data_mut().recorder {
        recorder.completed(ticket, failed, &reply);
    }
    let fields = [ticket as u32, u32::from(failed), length(&reply.text)?, length(&reply.body)?];

    let (memory, state) = memory_and_state(&mut caller)?;
    let range = range(memory.len(), completion, 16)?;
    for (slot, field) in memory[range].chunks_exact_mut(4).zip(fields) {
        slot.copy_from_slice(&field.to_le_bytes());
    }
    state.reply = reply.text.into_bytes();
    state.reply.extend_from_slice(&reply.body);
    Ok(())
}

/// Returns the next operation that has ended: its ticket, whether it failed, and its reply.
async fn ended(state: &mut State) -> Result<(i32, bool, Reply)> {
    if let Some(player) = &mut state.player {
        return match player.wait() {
            Played::Answer(completion) => Ok(completion),
            // The recorded run waited until its time was over.
            Played::Over => {
                state.exhausted = Some(Exhausted::Wall);
                Err(Error::msg("the recording is over"))
            }
            Played::Diverged => Err(state.diverge()),
        };
    }
    wait_for_delivery(state).await;
    let meter = state.meter.clone();
    let ended = unmetered(&meter, state.operations.next()).await;
    let Completion { ticket, result } = ended.ok_or_else(|| Error::msg("the guest waits for nothing"))?;
    Ok(match result {
        Ok(reply) => (ticket, false, reply),
        Err(error) => (ticket, true, Reply { text: error_json(&error), body: Vec::new() }),
    })
}

/// Waits for the delivery of the result. Operations begin when they are waited for, so those of deferred
/// functions begin after this.
async fn wait_for_delivery(state: &mut State) {
    if !state.has_replied || state.is_delivered {
        return;
    }
    let host = state.access.as_ref().map(|access| access.host.clone());
    if let Some(host) = host {
        let meter = state.meter.clone();
        unmetered(&meter, host.delivered()).await;
    }
    state.delivered();
}

fn take(mut caller: Caller<'_, State>, destination: u32, capacity: u32) -> Result<()> {
    let (memory, state) = memory_and_state(&mut caller)?;
    let reply = std::mem::take(&mut state.reply);
    if reply.len() != capacity as usize {
        return Err(Error::msg("the guest takes another reply than the one that waits"));
    }
    let range = range(memory.len(), destination, capacity)?;
    memory[range].copy_from_slice(&reply);
    Ok(())
}

fn leave_reply(state: &mut State, reply: Vec<u8>) -> Result<i32> {
    let length = i32::try_from(reply.len()).map_err(Error::from)?;
    state.reply = reply;
    Ok(length)
}

fn leave_error(state: &mut State, error: String) -> Result<i32> {
    Ok(-leave_reply(state, error.into_bytes())? - 1)
}

/// Writes an error as `hostError` of `engine/runtime.js` reads it.
fn error_json(error: &HostError) -> String {
    let code = match error.kind {
        HostErrorKind::Egress => Some(FailureCode::EgressDenied),
        HostErrorKind::TooLarge => Some(FailureCode::ResponseTooLarge),
        _ => None,
    };
    json!({ "name": error.kind.name(), "message": error.message, "code": code }).to_string()
}

fn sized(length: usize, limit: usize) -> std::result::Result<(), HostError> {
    if length > limit {
        return Err(HostError::limit(format!(
            "{length} bytes are more than one operation can take ({limit})"
        )));
    }
    Ok(())
}

fn memory_and_state<'a>(caller: &'a mut Caller<'_, State>) -> Result<(&'a mut [u8], &'a mut State)> {
    match caller.get_export("memory") {
        Some(Extern::Memory(memory)) => Ok(memory.data_and_store_mut(caller)),
        _ => Err(Error::msg("the guest exports no memory")),
    }
}

fn name(memory: &[u8], pointer: u32, length: u32) -> Result<&str> {
    if length as usize > MAX_NAME_BYTES {
        return Err(Error::msg("the guest gave an operation name that is too long"));
    }
    Ok(std::str::from_utf8(bytes(memory, pointer, length)?)?)
}

fn bytes(memory: &[u8], pointer: u32, length: u32) -> Result<&[u8]> {
    Ok(&memory[range(memory.len(), pointer, length)?])
}

/// Returns the range of a pointer and a length, if it lies within the memory.
pub(crate) fn range(memory_length: usize, pointer: u32, length: u32) -> Result<Range<usize>> {
    let start = pointer as usize;
    let end = start.checked_add(length as usize).filter(|end| *end <= memory_length);
    end.map(|end| start..end).ok_or_else(|| Error::msg("the guest points outside its memory"))
}

fn length(bytes: impl AsRef<[u8]>) -> Result<u32> {
    Ok(u32::try_from(bytes.as_ref().len())?)
}
