//! Installs over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AcceptExtensionUpdateInput, ConfigureExtensionInput, ExtensionInstall, InstallExtensionInput};

pub struct InstallQueries;
pub struct InstallMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl InstallQueries {
    /// The account's extensions.
    async fn extension_installs(ctx: &Cx) -> Result<Vec<ExtensionInstall>> {
        super::extension_installs(ctx).await
    }

    /// One of the account's extensions.
    async fn extension_install(ctx: &Cx, id: Uuid) -> Result<ExtensionInstall> {
        super::extension_install(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl InstallMutations {
    /// Install an extension.
    async fn install_extension(ctx: &Cx, input: InstallExtensionInput) -> Result<ExtensionInstall> {
        super::install_extension(ctx, Ok(input)).await
    }

    /// Change settings, switch on or off, or pin the version.
    async fn configure_extension(
        ctx: &Cx,
        id: Uuid,
        input: ConfigureExtensionInput,
    ) -> Result<ExtensionInstall> {
        super::configure_extension(ctx, Ok(id), Ok(input)).await
    }

    /// Accept a newer version.
    async fn accept_extension_update(
        ctx: &Cx,
        id: Uuid,
        input: AcceptExtensionUpdateInput,
    ) -> Result<ExtensionInstall> {
        super::accept_extension_update(ctx, Ok(id), Ok(input)).await
    }

    /// Remove an extension.
    async fn uninstall_extension(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::uninstall_extension(ctx, Ok(id)).await?;
        Ok(true)
    }
}
