//! Shared storage over GraphQL.

use api_core::{Cx, Result};
use extension_calls::ExtensionStorage;
use juniper::graphql_object;
use uuid::Uuid;

use super::SetExtensionStorageInput;

/// Queries of the shared storage.
pub struct StorageQueries;
/// Mutations of the shared storage.
pub struct StorageMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StorageQueries {
    async fn extension_storage(ctx: &Cx, id: Uuid) -> Result<ExtensionStorage> {
        super::extension_storage(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StorageMutations {
    async fn set_extension_storage(
        ctx: &Cx,
        id: Uuid,
        input: SetExtensionStorageInput,
    ) -> Result<ExtensionStorage> {
        super::set_extension_storage(ctx, Ok(id), Ok(input)).await
    }
}
