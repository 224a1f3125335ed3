//! Server functions over GraphQL.

use api_core::{Cx, Result, graphql::Json};
use juniper::graphql_object;
use uuid::Uuid;

use super::CallExtensionFunctionInput;

/// Mutations of server functions.
pub struct FunctionMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl FunctionMutations {
    async fn call_extension_function(
        ctx: &Cx,
        install_id: Uuid,
        function: String,
        input: CallExtensionFunctionInput,
    ) -> Result<Json> {
        super::call_extension_function(ctx, Ok(install_id), &function, Ok(input)).await
    }
}
