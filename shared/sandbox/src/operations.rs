use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::failure::cut;
use crate::function_kind::FunctionKind;
use crate::guest_json::parse_json;
use crate::host::{FetchRequest, Host, HostError, HostErrorKind, LogLevel, LogLine, Redirect};
use crate::host_operations::HostOperation;
use crate::reply::{Completion, Reply};
use crate::state::State;

/// Operations that handler code can request from the host. Any other name is refused.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operation {
    // Synchronous
    Log,
    SecretsGet,
    Reply,
    // Asynchronous
    Fetch,
    Sleep,
    Host(&'static HostOperation),
}

impl Operation {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "log" => Some(Self::Log),
            "secrets.get" => Some(Self::SecretsGet),
            "fetch" => Some(Self::Fetch),
            "sleep" => Some(Self::Sleep),
            "reply" => Some(Self::Reply),
            other => HostOperation::from_name(other).map(Self::Host),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Log => "ctx.log",
            Self::SecretsGet => "ctx.secrets.get",
            Self::Fetch => "ctx.fetch",
            Self::Sleep => "setTimeout",
            Self::Reply => "ctx.defer",
            Self::Host(operation) => operation.shown,
        }
    }

    /// True when a kind of function may use the operation (reference/handlers.md#ctx).
    pub(crate) fn is_open_to(self, kind: FunctionKind) -> bool {
        match self {
            Self::Log | Self::Sleep => true,
            Self::SecretsGet | Self::Fetch | Self::Reply => kind == FunctionKind::Action,
            Self::Host(operation) => operation.is_open_to(kind),
        }
    }
}

#[derive(Deserialize)]
struct SecretArgument {
    name: String,
}

#[derive(Deserialize)]
struct SleepArgument {
    milliseconds: f64,
}

#[derive(Deserialize)]
struct FetchArgument {
    url: String,
    method: String,
    headers: Vec<(String, String)>,
    redirect: Redirect,
}

/// Runs a synchronous operation and returns its reply as JSON.
pub(crate) fn call(state: &mut State, operation: &str, argument: &[u8]) -> Result<String, HostError> {
    let operation = known(operation)?;
    let reply = match operation {
        Operation::Log => {
            let line: LogLine = parse(operation, argument)?;
            log(state, line);
            json!(null)
        }
        Operation::SecretsGet => {
            let host = host_for(state, operation)?;
            let SecretArgument { name } = parse(operation, argument)?;
            let secret = host.secret(&name);
            if let Some(secret) = &secret {
                state.secrets_read.remember(secret)?;
            }
            json!(secret)
        }
        Operation::Reply => {
            let host = host_for(state, operation)?;
            reply(state, host.as_ref(), argument)?;
            json!(null)
        }
        Operation::Fetch | Operation::Sleep | Operation::Host(_) => return Err(unknown_operation()),
    };
    Ok(reply.to_string())
}

/// Returns the maximum size of a synchronous operation's argument, in bytes.
pub(crate) fn call_limit(state: &State, operation: &str) -> usize {
    // A reply has its own limit and its own failure.
    if operation == "reply" { usize::MAX } else { state.limits.argument_bytes }
}

/// Performs the effect of a synchronous operation whose answer is replayed.
pub(crate) fn replay_call(state: &mut State, operation: &str, argument: &[u8]) {
    match Operation::from_name(operation) {
        Some(Operation::Log) => {
            if let Ok(line) = serde_json::from_slice(argument) {
                log(state, line);
            }
        }
        Some(Operation::Reply) if !state.has_replied => state.replied(),
        _ => {}
    }
}

fn reply(state: &mut State, host: &dyn Host, argument: &[u8]) -> Result<(), HostError> {
    let limit = state.limits.reply_bytes;
    if argument.len() > limit {
        let message = format!("the result is {} bytes of JSON; the limit is {limit}", argument.len());
        return Err(HostError::new(HostErrorKind::TooLarge, message));
    }
    if state.has_replied {
        return Err(HostError::internal("the result was given already"));
    }
    let result: Value = parse_json(argument.to_vec())
        .map_err(|error| HostError::argument(format!("the result cannot be used: {error}")))?;
    state.replied();
    host.replied(result);
    Ok(())
}

/// Starts an asynchronous operation and returns its ticket.
pub(crate) fn start(
    state: &mut State,
    operation: &str,
    argument: &[u8],
    body: &[u8],
) -> Result<i32, HostError> {
    let operation = known(operation)?;
    let host = host_for(state, operation)?;
    let outstanding = state.limits.outstanding_operations;
    if state.operations.len() >= outstanding {
        return Err(HostError::limit(format!(
            "{}: {outstanding} operations are under way, which is the limit; await some first",
            operation.name()
        )));
    }
    let work: BoxFuture<'static, _> = match operation {
        Operation::Fetch => {
            let request = fetch_request(operation, argument, body)?;
            count_fetch(state)?;
            async move { fetch(host.as_ref(), request).await }.boxed()
        }
        Operation::Sleep => {
            let SleepArgument { milliseconds } = parse(operation, argument)?;
            let wanted = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(Duration::MAX);
            // Created here, so that it counts from now and not from the guest's first wait.
            let timer = tokio::time::sleep(wanted.min(state.limits.wall));
            timer.map(|()| Ok(Reply { text: "null".to_owned(), body: Vec::new() })).boxed()
        }
        Operation::Host(asked) => {
            let request = asked.parse(argument).map_err(|error| {
                HostError::argument(format!("{}: {}", operation.name(), without_position(&error)))
            })?;
            count_request(state, operation)?;
            async move {
                let value = host.perform(request).await?;
                Ok(Reply { text: value.to_string(), body: Vec::new() })
            }
            .boxed()
        }
        Operation::Log | Operation::SecretsGet | Operation::Reply => return Err(unknown_operation()),
    };
    let ticket = state.take_ticket();
    state.operations.push(async move { Completion { ticket, result: work.await } }.boxed());
    Ok(ticket)
}

fn known(name: &str) -> Result<Operation, HostError> {
    Operation::from_name(name).ok_or_else(unknown_operation)
}

fn unknown_operation() -> HostError {
    HostError::internal("unknown operation")
}

fn host_for(state: &State, operation: Operation) -> Result<Arc<dyn Host>, HostError> {
    let Some(access) = &state.access else {
        return Err(HostError::permission(format!(
            "{} is available inside handlers only, not at the top level of the module",
            operation.name()
        )));
    };
    if !operation.is_open_to(access.kind) {
        return Err(HostError::permission(format!(
            "{} is not available in a {}",
            operation.name(),
            access.kind.as_str()
        )));
    }
    Ok(access.host.clone())
}

fn parse<T: DeserializeOwned>(operation: Operation, argument: &[u8]) -> Result<T, HostError> {
    serde_json::from_slice(argument)
        .map_err(|error| HostError::argument(format!("{}: {error}", operation.name())))
}

/// Passes a line to the host. Lines at the top level of a module are dropped: a load serves every install of
/// the version.
fn log(state: &mut State, line: LogLine) {
    let Some(access) = &state.access else { return };
    if state.log_lines >= state.limits.log_lines {
        state.log_lines_dropped += 1;
        return;
    }
    state.log_lines += 1;
    let mut message = state.without_secrets(line.message);
    cut(&mut message, state.limits.log_line_bytes);
    access.host.log(LogLine { level: line.level, message });
}

/// Removes serde_json's suffix ` at line … column …`, which has no meaning for an argument.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.clone(), |(reason, _)| reason.to_owned())
}

fn count_request(state: &mut State, operation: Operation) -> Result<(), HostError> {
    let limit = state.limits.host_requests;
    if state.host_requests >= limit {
        let message = format!("{}: the limit of {limit} calls per invocation is used up", operation.name());
        return Err(HostError::limit(message));
    }
    state.host_requests += 1;
    Ok(())
}

fn count_fetch(state: &mut State) -> Result<(), HostError> {
    let limit = state.limits.fetches;
    if state.fetches >= limit {
        return Err(HostError::limit(format!(
            "ctx.fetch: the limit of {limit} calls per invocation is used up"
        )));
    }
    state.fetches += 1;
    Ok(())
}

fn fetch_request(operation: Operation, argument: &[u8], body: &[u8]) -> Result<FetchRequest, HostError> {
    let FetchArgument { url, method, headers, redirect } = parse(operation, argument)?;
    Ok(FetchRequest { url, method, headers, redirect, body: (!body.is_empty()).then(|| body.to_vec()) })
}

async fn fetch(host: &dyn Host, request: FetchRequest) -> Result<Reply, HostError> {
    let response = host.fetch(request).await?;
    let head = json!({
        "status": response.status,
        "status_text": response.status_text,
        "url": response.url,
        "redirected": response.redirected,
        "headers": response.headers,
    });
    Ok(Reply { text: head.to_string(), body: response.body })
}

/// Logs, in the name of the platform, that the limit of the log cut lines off.
pub(crate) fn report_dropped_lines(state: &State) {
    let Some(access) = &state.access else { return };
    if state.log_lines_dropped > 0 {
        access.host.log(LogLine {
            level: LogLevel::Warn,
            message: format!(
                "{} more lines were dropped: the limit is {} per invocation",
                state.log_lines_dropped, state.limits.log_lines
            ),
        });
    }
}
