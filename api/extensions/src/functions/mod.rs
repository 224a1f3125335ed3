//! Server functions of installs (reference/extensions.md#server-functions). The API authorises the call; a
//! runtime runs the code.

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Json,
};
use extension_calls::call_function;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::storage::caller_of;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CALL_EXTENSION_FUNCTION];

/// Arguments of a call.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({ "args": { "player": "ada" } }))]
pub struct CallExtensionFunctionInput {
    /// An object, checked by the function's validators; absent means no arguments.
    #[schema(value_type = Option<Object>)]
    pub args: Option<Json>,
}

pub static CALL_EXTENSION_FUNCTION: Operation<AccountCaller> = Operation::account_any(
    "callExtensionFunction",
    &[AccountPermission::ExtensionDataRead, AccountPermission::ExtensionDataEdit],
    Grants::Nothing,
)
.feature(Feature::Extensions)
.idempotent_by_claim()
.secret_answer();

/// Calls a server function of an install and returns its result.
///
/// A function of the kind `query` needs `extension-data:read`; any other needs `extension-data:edit`. A call
/// runs at most once. A query whose runtime was lost is run once more.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 with the handler's message when it throws, and with `details.code` when it exceeds a limit.
/// - 400 when the arguments do not fit.
/// - 403 for a function of the editor that is called from another surface.
/// - 404 for an unknown install or function.
/// - 409 when the install is switched off.
/// - 429 when its invocations are used up or too many calls wait.
/// - 500 with `details.code` when no runtime ran the function or the runtime was lost.
#[api_core::operation]
pub async fn call_extension_function(
    cx: &Cx,
    install_id: Input<Uuid>,
    function: &str,
    input: Input<CallExtensionFunctionInput>,
) -> Result<Json> {
    cx.authorize(&CALL_EXTENSION_FUNCTION).await?;
    let (install_id, input) = (install_id?, input?);
    let args = input.args.map(|args| args.0);
    Ok(Json(call_function(cx, &caller_of(cx).await?, install_id, function, args).await?))
}
