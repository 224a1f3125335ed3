//! Applications over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminCreateOauthClientInput, AdminUpdateOauthClientInput, OauthClient};

pub struct OauthClientQueries;
pub struct OauthClientMutations;

#[graphql_object(context = Cx)]
impl OauthClientQueries {
    /// The applications, by name.
    async fn admin_oauth_clients(ctx: &Cx) -> Result<Vec<OauthClient>> {
        super::admin_oauth_clients(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl OauthClientMutations {
    /// Register an application.
    async fn admin_create_oauth_client(ctx: &Cx, input: AdminCreateOauthClientInput) -> Result<OauthClient> {
        super::admin_create_oauth_client(ctx, Ok(input)).await
    }

    /// Change an application.
    async fn admin_update_oauth_client(
        ctx: &Cx,
        id: Uuid,
        input: AdminUpdateOauthClientInput,
    ) -> Result<OauthClient> {
        super::admin_update_oauth_client(ctx, Ok(id), Ok(input)).await
    }

    /// Remove an application.
    async fn admin_delete_oauth_client(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_oauth_client(ctx, Ok(id)).await?;
        Ok(true)
    }
}
