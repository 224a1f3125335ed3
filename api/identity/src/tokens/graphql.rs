//! Permissions of the credential and popout tokens over GraphQL.

use api_core::{Cx, Patch, Result};
use juniper::{GraphQLInputObject, graphql_object};
use uuid::Uuid;

use super::{
    CreatePopoutTokenInput, CreatePopoutTokenResult, PopoutToken, PopoutTokenChanges, TokenPermissions,
};
use crate::api_keys::graphql::DeleteTokenResult;

/// Queries of the credential's permissions and of popout tokens.
pub struct TokenQueries;
/// Mutations of popout tokens.
pub struct TokenMutations;

/// Changes of a popout token. Absent fields stay as they are.
#[derive(GraphQLInputObject)]
pub struct UpdatePopoutTokenInput {
    /// The popout token.
    id: Uuid,
    /// New label, at most 100 characters; null removes it.
    label: Patch<String>,
    /// New permissions: 1 to 123 of the account, each by name.
    permissions: Patch<Vec<String>>,
    /// Member that the token acts for.
    user_id: Patch<Uuid>,
    /// Time of expiry in RFC 3339. A time in the past revokes the token; null: it does not expire.
    expires_at: Patch<String>,
}

#[graphql_object(context = Cx)]
impl TokenQueries {
    async fn my_permissions(ctx: &Cx) -> Result<TokenPermissions> {
        super::my_permissions(ctx).await
    }

    async fn popout_tokens(ctx: &Cx) -> Result<Vec<PopoutToken>> {
        super::popout_tokens(ctx).await
    }

    async fn popout_token(ctx: &Cx, id: Uuid) -> Result<PopoutToken> {
        super::popout_token(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl TokenMutations {
    async fn create_popout_token(ctx: &Cx, input: CreatePopoutTokenInput) -> Result<CreatePopoutTokenResult> {
        super::create_popout_token(ctx, Ok(input)).await
    }

    async fn update_popout_token(ctx: &Cx, input: UpdatePopoutTokenInput) -> Result<PopoutToken> {
        let UpdatePopoutTokenInput { id, label, permissions, user_id, expires_at } = input;
        let changes = PopoutTokenChanges { label, permissions, user_id, expires_at };
        super::update_popout_token(ctx, Ok(id), Ok(changes)).await
    }

    async fn delete_popout_token(ctx: &Cx, id: Uuid) -> Result<DeleteTokenResult> {
        super::delete_popout_token(ctx, Ok(id)).await.map(|()| DeleteTokenResult::DONE)
    }
}
