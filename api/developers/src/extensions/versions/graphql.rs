//! Versions of one's own over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::DeveloperVersion;

pub struct DeveloperVersionMutations;

#[graphql_object(context = Cx)]
impl DeveloperVersionMutations {
    /// Take a waiting version back.
    async fn withdraw_extension_version(ctx: &Cx, id: Uuid, version: String) -> Result<DeveloperVersion> {
        super::withdraw_extension_version(ctx, Ok(id), &version).await
    }

    /// Put a draft up for review again.
    async fn submit_extension_version(ctx: &Cx, id: Uuid, version: String) -> Result<DeveloperVersion> {
        super::submit_extension_version(ctx, Ok(id), &version).await
    }

    /// Ask for the publication of a tested version.
    async fn request_extension_publication(ctx: &Cx, id: Uuid, version: String) -> Result<DeveloperVersion> {
        super::request_extension_publication(ctx, Ok(id), &version).await
    }

    /// Give a tested version up.
    async fn abandon_extension_version(ctx: &Cx, id: Uuid, version: String) -> Result<DeveloperVersion> {
        super::abandon_extension_version(ctx, Ok(id), &version).await
    }
}
