//! App credentials over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{AppCredentials, SaveAppCredentialsInput};

pub struct AppCredentialQueries;
pub struct AppCredentialMutations;

#[graphql_object(context = Cx)]
impl AppCredentialQueries {
    /// The account's own applications.
    async fn app_credentials(ctx: &Cx) -> Result<Vec<AppCredentials>> {
        super::app_credentials(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl AppCredentialMutations {
    /// Keep an application of the account's own.
    async fn save_app_credentials(
        ctx: &Cx,
        platform: String,
        input: SaveAppCredentialsInput,
    ) -> Result<AppCredentials> {
        super::save_app_credentials(ctx, &platform, Ok(input)).await
    }

    /// Forget an application of the account's own.
    async fn delete_app_credentials(ctx: &Cx, platform: String) -> Result<bool> {
        super::delete_app_credentials(ctx, &platform).await?;
        Ok(true)
    }
}
