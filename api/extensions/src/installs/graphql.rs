//! Installs over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AcceptExtensionUpdateInput, ConfigureExtensionInput, ExtensionInstall, InstallExtensionInput};

/// Queries of installs.
pub struct InstallQueries;
/// Mutations of installs.
pub struct InstallMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl InstallQueries {
    async fn extension_installs(ctx: &Cx) -> Result<Vec<ExtensionInstall>> {
        super::extension_installs(ctx).await
    }

    async fn extension_install(ctx: &Cx, id: Uuid) -> Result<ExtensionInstall> {
        super::extension_install(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl InstallMutations {
    async fn install_extension(ctx: &Cx, input: InstallExtensionInput) -> Result<ExtensionInstall> {
        super::install_extension(ctx, Ok(input)).await
    }

    async fn configure_extension(
        ctx: &Cx,
        id: Uuid,
        input: ConfigureExtensionInput,
    ) -> Result<ExtensionInstall> {
        super::configure_extension(ctx, Ok(id), Ok(input)).await
    }

    async fn accept_extension_update(
        ctx: &Cx,
        id: Uuid,
        input: AcceptExtensionUpdateInput,
    ) -> Result<ExtensionInstall> {
        super::accept_extension_update(ctx, Ok(id), Ok(input)).await
    }

    async fn uninstall_extension(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::uninstall_extension(ctx, Ok(id)).await?;
        Ok(true)
    }
}
