//! Extensions of a developer over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateExtensionInput, DeveloperExtension, DeveloperExtensionDetail, SetExtensionVisibilityInput,
    TransferExtensionInput, UpdateExtensionInput,
};

/// Queries of a developer's extensions.
pub struct DeveloperExtensionQueries;
/// Mutations of a developer's extensions.
pub struct DeveloperExtensionMutations;

#[graphql_object(context = Cx)]
impl DeveloperExtensionQueries {
    async fn developer_extensions(ctx: &Cx) -> Result<Vec<DeveloperExtension>> {
        super::developer_extensions(ctx).await
    }

    async fn developer_extension(ctx: &Cx, id: Uuid) -> Result<DeveloperExtensionDetail> {
        super::developer_extension(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl DeveloperExtensionMutations {
    async fn create_extension(ctx: &Cx, input: CreateExtensionInput) -> Result<DeveloperExtension> {
        super::create_extension(ctx, Ok(input)).await
    }

    async fn update_extension(ctx: &Cx, id: Uuid, input: UpdateExtensionInput) -> Result<DeveloperExtension> {
        super::update_extension(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_extension(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_extension(ctx, Ok(id)).await.map(|()| true)
    }

    async fn set_extension_visibility(
        ctx: &Cx,
        id: Uuid,
        input: SetExtensionVisibilityInput,
    ) -> Result<DeveloperExtension> {
        super::set_extension_visibility(ctx, Ok(id), Ok(input)).await
    }

    async fn transfer_extension(
        ctx: &Cx,
        id: Uuid,
        input: TransferExtensionInput,
    ) -> Result<DeveloperExtension> {
        super::transfer_extension(ctx, Ok(id), Ok(input)).await
    }
}
