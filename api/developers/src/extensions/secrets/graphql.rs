//! Secrets over GraphQL.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;
use uuid::Uuid;

use super::SetExtensionSecretInput;

pub struct ExtensionSecretQueries;
pub struct ExtensionSecretMutations;

#[graphql_object(context = Cx)]
impl ExtensionSecretQueries {
    /// The names of an extension's secrets.
    async fn extension_secret_keys(ctx: &Cx, id: Uuid) -> Result<Vec<String>> {
        super::extension_secret_keys(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl ExtensionSecretMutations {
    /// Set a secret.
    async fn set_extension_secret(
        ctx: &Cx,
        id: Uuid,
        key: String,
        input: SetExtensionSecretInput,
    ) -> Result<Success> {
        super::set_extension_secret(ctx, Ok(id), &key, Ok(input)).await
    }

    /// Delete a secret.
    async fn delete_extension_secret(ctx: &Cx, id: Uuid, key: String) -> Result<bool> {
        super::delete_extension_secret(ctx, Ok(id), &key).await.map(|()| true)
    }
}
