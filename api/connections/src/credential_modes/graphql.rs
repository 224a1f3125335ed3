//! GraphQL fields of `credential_modes`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::PlatformCredentialMode;

/// Query fields.
pub struct CredentialModeQueries;

#[graphql_object(context = Cx)]
impl CredentialModeQueries {
    async fn platform_credential_modes(ctx: &Cx) -> Result<Vec<PlatformCredentialMode>> {
        super::platform_credential_modes(ctx).await
    }
}
