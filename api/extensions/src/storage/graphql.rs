//! The shared storage over GraphQL.

use api_core::{Cx, Result, extension_data::ExtensionStorage};
use juniper::graphql_object;
use uuid::Uuid;

use super::SetExtensionStorageInput;

pub struct StorageQueries;
pub struct StorageMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StorageQueries {
    /// The shared storage of an install.
    async fn extension_storage(ctx: &Cx, id: Uuid) -> Result<ExtensionStorage> {
        super::extension_storage(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StorageMutations {
    /// Replace the shared storage of an install.
    async fn set_extension_storage(
        ctx: &Cx,
        id: Uuid,
        input: SetExtensionStorageInput,
    ) -> Result<ExtensionStorage> {
        super::set_extension_storage(ctx, Ok(id), Ok(input)).await
    }
}
