//! A developer's extensions over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateExtensionInput, DeveloperExtension, DeveloperExtensionDetail, SetExtensionVisibilityInput,
    TransferExtensionInput, UpdateExtensionInput,
};

pub struct DeveloperExtensionQueries;
pub struct DeveloperExtensionMutations;

#[graphql_object(context = Cx)]
impl DeveloperExtensionQueries {
    /// The caller's extensions, newest first.
    async fn developer_extensions(ctx: &Cx) -> Result<Vec<DeveloperExtension>> {
        super::developer_extensions(ctx).await
    }

    /// One of the caller's extensions with its versions.
    async fn developer_extension(ctx: &Cx, id: Uuid) -> Result<DeveloperExtensionDetail> {
        super::developer_extension(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl DeveloperExtensionMutations {
    /// Create an extension.
    async fn create_extension(ctx: &Cx, input: CreateExtensionInput) -> Result<DeveloperExtension> {
        super::create_extension(ctx, Ok(input)).await
    }

    /// Change an extension.
    async fn update_extension(ctx: &Cx, id: Uuid, input: UpdateExtensionInput) -> Result<DeveloperExtension> {
        super::update_extension(ctx, Ok(id), Ok(input)).await
    }

    /// Delete an extension that was never publicly listed.
    async fn delete_extension(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_extension(ctx, Ok(id)).await.map(|()| true)
    }

    /// Say who finds an extension.
    async fn set_extension_visibility(
        ctx: &Cx,
        id: Uuid,
        input: SetExtensionVisibilityInput,
    ) -> Result<DeveloperExtension> {
        super::set_extension_visibility(ctx, Ok(id), Ok(input)).await
    }

    /// Hand an extension to a team.
    async fn transfer_extension(
        ctx: &Cx,
        id: Uuid,
        input: TransferExtensionInput,
    ) -> Result<DeveloperExtension> {
        super::transfer_extension(ctx, Ok(id), Ok(input)).await
    }
}
