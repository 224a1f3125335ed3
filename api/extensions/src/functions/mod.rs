//! Server functions of installs (specification C B4). The API decides who may call; a runtime runs the code.

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    extension_data::call_function,
    graphql::Json,
};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::storage::caller_of;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CALL_EXTENSION_FUNCTION];

/// The arguments of a call.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({ "args": { "player": "ada" } }))]
pub struct CallExtensionFunctionInput {
    /// An object, checked by the function's validators; none when absent.
    #[schema(value_type = Option<Object>)]
    pub args: Option<Json>,
}

/// A server function of an install.
pub static CALL_EXTENSION_FUNCTION: Operation<AccountCaller> = Operation::account_any(
    "callExtensionFunction",
    &[AccountPermission::ExtensionDataRead, AccountPermission::ExtensionDataEdit],
    Grants::Nothing,
)
.feature(Feature::Extensions);

/// Calls a server function and answers what it returned: `extension-data:read` is enough for a query, everything else
/// needs `extension-data:edit`.
///
/// # Errors
/// As the rule; 400 with the handler's message when it throws, with `details.code` when it crosses a limit; 403 for a
/// function of the editor called from elsewhere; 404 for an unknown install or function; 409 when the install is
/// switched off; 429 over its invocations; 500 with `details.code` when no runtime could run it or was lost.
pub async fn call_extension_function(
    cx: &Cx,
    install_id: Input<Uuid>,
    function: &str,
    input: Input<CallExtensionFunctionInput>,
) -> Result<Json> {
    cx.authorize(&CALL_EXTENSION_FUNCTION).await?;
    let (install_id, input) = (install_id?, input?);
    let args = input.args.map(|args| args.0);
    Ok(Json(call_function(cx.state(), &caller_of(cx).await?, install_id, function, args).await?))
}
