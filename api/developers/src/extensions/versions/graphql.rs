//! Versions of the caller's extensions over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::DeveloperVersion;

/// Mutations of versions.
pub struct DeveloperVersionMutations;

#[graphql_object(context = Cx)]
impl DeveloperVersionMutations {
    async fn withdraw_extension_version(ctx: &Cx, id: Uuid, version: String) -> Result<DeveloperVersion> {
        super::withdraw_extension_version(ctx, Ok(id), &version).await
    }

    async fn submit_extension_version(ctx: &Cx, id: Uuid, version: String) -> Result<DeveloperVersion> {
        super::submit_extension_version(ctx, Ok(id), &version).await
    }

    async fn request_extension_publication(ctx: &Cx, id: Uuid, version: String) -> Result<DeveloperVersion> {
        super::request_extension_publication(ctx, Ok(id), &version).await
    }

    async fn abandon_extension_version(ctx: &Cx, id: Uuid, version: String) -> Result<DeveloperVersion> {
        super::abandon_extension_version(ctx, Ok(id), &version).await
    }
}
