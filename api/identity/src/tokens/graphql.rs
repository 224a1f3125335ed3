//! What a credential may do, and the tokens of popouts, over GraphQL.

use api_core::{Cx, Patch, Result};
use juniper::{GraphQLInputObject, graphql_object};
use uuid::Uuid;

use super::{
    CreatePopoutTokenInput, CreatePopoutTokenResult, PopoutToken, PopoutTokenChanges, TokenPermissions,
};
use crate::api_keys::graphql::DeleteTokenResult;

pub struct TokenQueries;
pub struct TokenMutations;

/// What is to change of which popout token.
#[derive(GraphQLInputObject)]
pub struct UpdatePopoutTokenInput {
    id: Uuid,
    /// At most 100 characters; null takes it away.
    label: Patch<String>,
    /// 1 to 123 permissions of the account, each by name.
    permissions: Patch<Vec<String>>,
    /// The member that it acts for.
    user_id: Patch<Uuid>,
    /// RFC 3339; a time in the past revokes the token, null means that it does not expire.
    expires_at: Patch<String>,
}

#[graphql_object(context = Cx)]
impl TokenQueries {
    /// What the credential of this request may do.
    async fn my_permissions(ctx: &Cx) -> Result<TokenPermissions> {
        super::my_permissions(ctx).await
    }

    /// The popout tokens of the account.
    async fn popout_tokens(ctx: &Cx) -> Result<Vec<PopoutToken>> {
        super::popout_tokens(ctx).await
    }

    /// One popout token of the account.
    async fn popout_token(ctx: &Cx, id: Uuid) -> Result<PopoutToken> {
        super::popout_token(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl TokenMutations {
    /// Create a popout token.
    async fn create_popout_token(ctx: &Cx, input: CreatePopoutTokenInput) -> Result<CreatePopoutTokenResult> {
        super::create_popout_token(ctx, Ok(input)).await
    }

    /// Change a popout token. An expiry in the past revokes it.
    async fn update_popout_token(ctx: &Cx, input: UpdatePopoutTokenInput) -> Result<PopoutToken> {
        let UpdatePopoutTokenInput { id, label, permissions, user_id, expires_at } = input;
        let changes = PopoutTokenChanges { label, permissions, user_id, expires_at };
        super::update_popout_token(ctx, Ok(id), Ok(changes)).await
    }

    /// Delete a popout token.
    async fn delete_popout_token(ctx: &Cx, id: Uuid) -> Result<DeleteTokenResult> {
        super::delete_popout_token(ctx, Ok(id)).await.map(|()| DeleteTokenResult::DONE)
    }
}
