//! Credential modes over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::PlatformCredentialMode;

pub struct CredentialModeQueries;

#[graphql_object(context = Cx)]
impl CredentialModeQueries {
    /// Whose application new connections are made with.
    async fn platform_credential_modes(ctx: &Cx) -> Result<Vec<PlatformCredentialMode>> {
        super::platform_credential_modes(ctx).await
    }
}
