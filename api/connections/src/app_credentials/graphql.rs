//! GraphQL fields of `app_credentials`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{AppCredentials, SaveAppCredentialsInput};

/// Query fields.
pub struct AppCredentialQueries;
/// Mutation fields.
pub struct AppCredentialMutations;

#[graphql_object(context = Cx)]
impl AppCredentialQueries {
    async fn app_credentials(ctx: &Cx) -> Result<Vec<AppCredentials>> {
        super::app_credentials(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl AppCredentialMutations {
    async fn save_app_credentials(
        ctx: &Cx,
        platform: String,
        input: SaveAppCredentialsInput,
    ) -> Result<AppCredentials> {
        super::save_app_credentials(ctx, &platform, Ok(input)).await
    }

    async fn delete_app_credentials(ctx: &Cx, platform: String) -> Result<bool> {
        super::delete_app_credentials(ctx, &platform).await?;
        Ok(true)
    }
}
