//! Secrets over GraphQL.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;
use uuid::Uuid;

use super::SetExtensionSecretInput;

/// Queries of secrets.
pub struct ExtensionSecretQueries;
/// Mutations of secrets.
pub struct ExtensionSecretMutations;

#[graphql_object(context = Cx)]
impl ExtensionSecretQueries {
    async fn extension_secret_keys(ctx: &Cx, id: Uuid) -> Result<Vec<String>> {
        super::extension_secret_keys(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl ExtensionSecretMutations {
    async fn set_extension_secret(
        ctx: &Cx,
        id: Uuid,
        key: String,
        input: SetExtensionSecretInput,
    ) -> Result<Success> {
        super::set_extension_secret(ctx, Ok(id), &key, Ok(input)).await
    }

    async fn delete_extension_secret(ctx: &Cx, id: Uuid, key: String) -> Result<bool> {
        super::delete_extension_secret(ctx, Ok(id), &key).await.map(|()| true)
    }
}
