//! GraphQL fields of `oauth_clients`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminCreateOauthClientInput, AdminUpdateOauthClientInput, OauthClient};

/// Query fields.
pub struct OauthClientQueries;
/// Mutation fields.
pub struct OauthClientMutations;

#[graphql_object(context = Cx)]
impl OauthClientQueries {
    async fn admin_oauth_clients(ctx: &Cx) -> Result<Vec<OauthClient>> {
        super::admin_oauth_clients(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl OauthClientMutations {
    async fn admin_create_oauth_client(ctx: &Cx, input: AdminCreateOauthClientInput) -> Result<OauthClient> {
        super::admin_create_oauth_client(ctx, Ok(input)).await
    }

    async fn admin_update_oauth_client(
        ctx: &Cx,
        id: Uuid,
        input: AdminUpdateOauthClientInput,
    ) -> Result<OauthClient> {
        super::admin_update_oauth_client(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_delete_oauth_client(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_oauth_client(ctx, Ok(id)).await?;
        Ok(true)
    }
}
