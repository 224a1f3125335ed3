//! Personal API keys over GraphQL.

use api_core::{Cx, Result};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{
    ApiKeyKind, ApiKeyPermission, AssignableQuery, CreateUserApiKeyInput, UpdateUserApiKeyInput, UserApiKey,
};

pub struct ApiKeyQueries;
pub struct ApiKeyMutations;

/// A new key with its text.
#[derive(GraphQLObject)]
pub struct CreateUserApiKeyResult {
    /// Shown this once.
    key: String,
    api_key: UserApiKey,
}

/// What became of a deletion.
#[derive(GraphQLObject)]
pub struct DeleteTokenResult {
    success: bool,
}

impl DeleteTokenResult {
    /// It is gone.
    pub(crate) const DONE: Self = Self { success: true };
}

#[graphql_object(context = Cx)]
impl ApiKeyQueries {
    /// Scopes that keys of a kind may carry.
    async fn api_key_assignable_permissions(ctx: &Cx, kind: ApiKeyKind) -> Result<Vec<ApiKeyPermission>> {
        super::api_key_assignable_permissions(ctx, Ok(AssignableQuery { kind })).await
    }

    /// The caller's own keys in the active account.
    async fn user_api_keys(ctx: &Cx) -> Result<Vec<UserApiKey>> {
        super::user_api_keys(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl ApiKeyMutations {
    /// Create a personal API key.
    async fn create_user_api_key(ctx: &Cx, input: CreateUserApiKeyInput) -> Result<CreateUserApiKeyResult> {
        let created = super::create_user_api_key(ctx, Ok(input)).await?;
        Ok(CreateUserApiKeyResult { key: created.key.expose().to_owned(), api_key: created.api_key })
    }

    /// Rename a key.
    async fn update_user_api_key(ctx: &Cx, id: Uuid, input: UpdateUserApiKeyInput) -> Result<UserApiKey> {
        super::update_user_api_key(ctx, Ok(id), Ok(input)).await
    }

    /// Revoke a key.
    async fn delete_user_api_key(ctx: &Cx, id: Uuid) -> Result<DeleteTokenResult> {
        super::delete_user_api_key(ctx, Ok(id)).await.map(|()| DeleteTokenResult::DONE)
    }
}
