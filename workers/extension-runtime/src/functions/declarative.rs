//! Declarative functions: one request of the storage, with the call's arguments in it.

use std::time::Instant;

use extension_model::{ArgumentProblem, Declarative, Function, calls::FunctionCall};
use sandbox::{
    DeleteRow, Failure, FailureCode, FunctionKind, HostError, HostErrorKind, HostRequest, InsertRow,
    PatchRow, QueryRows,
};
use serde_json::{Map, Value};
use usage_model::Unit;

use super::{InstallOfCall, TRIGGER, kind_of, ran};
use crate::{
    executor::{Executor, failed},
    host::storage_budget_reached,
    storage::Owner,
};

/// Runs a declarative function.
///
/// # Errors
/// The failure of a handler that would make the same request.
pub(super) async fn run(
    executor: &Executor,
    install: &InstallOfCall,
    call: &FunctionCall,
    function: &Function,
    declared: &Value,
) -> Result<Value, Failure> {
    let started = Instant::now();
    let performed = perform(executor, install, call, function, declared);
    let (result, time) = executor.metered(&install.runnable).timed(performed).await;
    let label = result.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "ok");
    executor.metrics.invoked(TRIGGER, label, started.elapsed());
    let failure = result.as_ref().err().filter(|failure| failure.code != FailureCode::InvalidArguments);
    let recorded = failure.map(|failure| (shared::id::new(), failure));
    executor.telemetry.invoked(&ran(call), started.elapsed(), Vec::new(), recorded);
    time.stored().await;
    result
}

async fn perform(
    executor: &Executor,
    install: &InstallOfCall,
    call: &FunctionCall,
    function: &Function,
    declared: &Value,
) -> Result<Value, Failure> {
    let kind = kind_of(function);
    let request = request_of(kind, declared, &call.args)?;
    let owner = Owner {
        extension_id: install.runnable.extension_id,
        account_id: install.runnable.account_id,
        install_id: install.runnable.install_id,
        viewer: call.caller.user_id.map(|user| user.to_string()),
    };
    let is_growing = matches!(request, HostRequest::InsertRow(_) | HostRequest::PatchRow(_));
    if is_growing && executor.metered(&install.runnable).stop(Unit::StoredBytes).is_some() {
        return Err(refused(&storage_budget_reached()));
    }
    let limits = executor.limits.of(owner.extension_id);
    let access = executor.storage.access(owner, install.runnable.tables.clone(), kind, limits);
    match access.perform(&request).await {
        Ok(value) => access.commit().await.map(|()| value).map_err(|error| refused(&error)),
        Err(error) => {
            access.roll_back().await;
            Err(refused(&error))
        }
    }
}

/// Returns the request of a declarative function with the arguments of a call.
///
/// # Errors
/// Arguments that do not fit, and a statement that the kind of function may not make.
pub(crate) fn request_of(
    kind: FunctionKind,
    declared: &Value,
    arguments: &Value,
) -> Result<HostRequest, Failure> {
    let declared: Declarative = serde_json::from_value(declared.clone())
        .map_err(|error| failed(FailureCode::HandlerError, "TypeError", &format!("declarative: {error}")))?;
    let empty = Map::new();
    let filled = declared.with_arguments(arguments.as_object().unwrap_or(&empty)).map_err(|problem| {
        let code = match problem {
            ArgumentProblem::Misplaced(_) => FailureCode::HandlerError,
            ArgumentProblem::Missing(_) | ArgumentProblem::Unknown(_) => FailureCode::InvalidArguments,
        };
        failed(code, "ValidationError", &problem.to_string())
    })?;
    if kind == FunctionKind::Query && !filled.is_query() {
        let message = "a query cannot change rows: the function must be a mutation";
        return Err(failed(FailureCode::HandlerError, "PermissionError", message));
    }
    Ok(request(filled))
}

fn request(function: Declarative) -> HostRequest {
    match function {
        Declarative::QueryRows { table, filter, order_by, order_dir, limit, offset } => {
            HostRequest::QueryRows(QueryRows { table, filter, order_by, order_dir, limit, offset })
        }
        Declarative::InsertRow { table, data } => {
            HostRequest::InsertRow(InsertRow { table, row: Value::Object(data) })
        }
        Declarative::PatchRow { table, id, data } => {
            HostRequest::PatchRow(PatchRow { table, id: text(id), partial: Value::Object(data) })
        }
        Declarative::DeleteRow { table, id } => HostRequest::DeleteRow(DeleteRow { table, id: text(id) }),
    }
}

fn text(id: Value) -> String {
    match id {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// An argument that does not fit is the caller's mistake.
pub(crate) fn refused(error: &HostError) -> Failure {
    let code = match error.kind {
        HostErrorKind::Internal => FailureCode::Internal,
        HostErrorKind::Argument => FailureCode::InvalidArguments,
        _ => FailureCode::HandlerError,
    };
    failed(code, error.kind.name(), &error.message)
}
