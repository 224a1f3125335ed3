//! Calls of server functions (reference/extensions.md#calls). The API checks the caller; a runtime runs the
//! function.

use std::time::Duration;

use extension_model::{
    Function, FunctionKind,
    calls::{CallerOfFunction, FunctionCall, FunctionCalls, FunctionReply, NoReply, Refusal},
};
use serde_json::{Map, Value, json};
use shared::catalogue::AccountPermission;
use uuid::Uuid;

use super::{FunctionCaller, Installed, Surface};
use api_core::{ApiError, Code, Cx, Result, State, access::SystemReason};

/// Characters of a handler's own message that callers receive (reference/extensions.md#calls).
const MAX_MESSAGE_LENGTH: usize = 500;
/// Time after which a call that no runtime has begun is dropped.
const START_TIMEOUT: chrono::Duration = chrono::Duration::seconds(10);
/// Time to dispatch a function and to return its result, beside its run.
const DISPATCH_TIMEOUT: Duration = Duration::from_secs(15);

/// Runs a server function of an install and returns its result.
///
/// # Errors
/// - 404 for an unknown install or function.
/// - 403 without `extension-data:read` for a query or `extension-data:edit` for another function, and outside
///   the editor for a function of the editor.
/// - 409 when the install does not run.
/// - 400 with the handler's message when it throws, with `details.code` when it exceeds a limit.
/// - 429 over the install's invocations.
/// - 500 with `details.code` when no runtime could run it or the runtime was lost.
pub async fn call_function(
    cx: &Cx,
    caller: &FunctionCaller,
    install: Uuid,
    name: &str,
    args: Option<Value>,
) -> Result<Value> {
    let (args, state) = (arguments(args)?, cx.state());
    // Before anything of the install is revealed.
    caller.may(install, AccountPermission::ExtensionDataRead).or_else(|refusal| match refusal.code {
        Code::Forbidden => caller.may(install, AccountPermission::ExtensionDataEdit),
        _ => Err(refusal),
    })?;
    let install =
        Installed::find(&state.system(SystemReason::ExtensionCall), caller.account, install).await?;
    let function = function(&install, name)?;
    let is_query = function.kind == FunctionKind::Query;
    let needed =
        if is_query { AccountPermission::ExtensionDataRead } else { AccountPermission::ExtensionDataEdit };
    caller.may(install.id, needed)?;
    if function.editor_only && caller.surface != Surface::Editor {
        return Err(ApiError::forbidden("This function can be called from the editor only"));
    }
    if !install.runs() {
        return Err(ApiError::conflict("The extension install is switched off"));
    }
    cx.begin_effect();
    let mut replied = run(state, caller, &install, name, &args).await;
    if did_not_run(&replied) {
        cx.undo_effect();
    }
    if is_query && matches!(replied, Err(NoReply::Lost)) {
        // A query changes nothing, so it may run twice.
        replied = run(state, caller, &install, name, &args).await;
    }
    match replied {
        Ok(reply) => answer(reply),
        Err(no_reply) => Err(without_reply(no_reply)),
    }
}

/// True when certainly no line of the handler was executed.
fn did_not_run(replied: &Result<FunctionReply, NoReply>) -> bool {
    match replied {
        // An internal refusal may also come after lines of the handler.
        Ok(FunctionReply::Refused { reason, .. }) => !matches!(reason, Refusal::Internal),
        Err(NoReply::Full | NoReply::NotStarted) => true,
        Ok(FunctionReply::Failed { code, .. }) => code == "INVALID_ARGUMENTS",
        Ok(FunctionReply::Returned { .. }) | Err(NoReply::Lost | NoReply::Failed(_)) => false,
    }
}

async fn run(
    state: &State,
    caller: &FunctionCaller,
    install: &Installed,
    name: &str,
    args: &Map<String, Value>,
) -> Result<FunctionReply, NoReply> {
    let call = FunctionCall {
        id: shared::id::new(),
        account_id: install.account_id,
        install_id: install.id,
        extension_id: install.extension_id,
        revision: install.updated_at,
        function: name.to_owned(),
        node: None,
        args: Value::Object(args.clone()),
        caller: CallerOfFunction {
            user_id: caller.user.map(|user| user.0),
            role: caller.role.to_owned(),
            surface: caller.surface.as_str().to_owned(),
        },
        expires_at: state.clock.now() + START_TIMEOUT,
    };
    let wait_timeout = install.function_timeout() + DISPATCH_TIMEOUT;
    state.component(|state| FunctionCalls::new(state.redis.clone())).run(&call, wait_timeout).await
}

fn function(install: &Installed, name: &str) -> Result<Function> {
    let unknown = || ApiError::not_found("Extension function not found");
    let declared = install.manifest["functions"].get(name).ok_or_else(unknown)?;
    serde_json::from_value(declared.clone()).map_err(ApiError::internal)
}

fn arguments(args: Option<Value>) -> Result<Map<String, Value>> {
    match args {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(args)) => Ok(args),
        Some(_) => Err(ApiError::invalid("args must be an object")),
    }
}

fn answer(reply: FunctionReply) -> Result<Value> {
    match reply {
        FunctionReply::Returned { value } => Ok(value),
        FunctionReply::Failed { code, message } => Err(failed(&code, &message)),
        FunctionReply::Refused { reason, message } => Err(match reason {
            Refusal::RateLimited | Refusal::Overloaded => ApiError::new(Code::RateLimitExceeded, message),
            Refusal::Unavailable => ApiError::conflict(message),
            Refusal::Expired | Refusal::Internal => {
                tracing::error!(message, ?reason, "a runtime did not run a function");
                unavailable("RUNTIME_UNAVAILABLE")
            }
        }),
    }
}

/// Error of a function: the handler's own message, or the code of an exceeded limit
/// (reference/extensions.md#calls).
fn failed(code: &str, message: &str) -> ApiError {
    let message: String = message.chars().take(MAX_MESSAGE_LENGTH).collect();
    match code {
        "INVALID_ARGUMENTS" => ApiError::invalid(message),
        "HANDLER_ERROR" => ApiError::bad_request(message),
        limit => ApiError::bad_request(message).with_details(json!({ "code": limit })),
    }
}

fn without_reply(no_reply: NoReply) -> ApiError {
    match no_reply {
        NoReply::Full => ApiError::new(Code::RateLimitExceeded, "Too many function calls are waiting"),
        NoReply::NotStarted => unavailable("RUNTIME_UNAVAILABLE"),
        NoReply::Lost => unavailable("OUTCOME_UNKNOWN"),
        NoReply::Failed(error) => error.into(),
    }
}

/// Error of a function without a result. `RUNTIME_UNAVAILABLE`: it did not run. `OUTCOME_UNKNOWN`: it may
/// have run in part.
fn unavailable(code: &str) -> ApiError {
    ApiError::new(Code::InternalServerError, "").with_details(json!({ "code": code }))
}
