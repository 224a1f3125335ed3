//! Personal API keys over GraphQL.

use api_core::{Cx, Result};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{
    ApiKeyKind, ApiKeyPermission, AssignableQuery, CreateUserApiKeyInput, UpdateUserApiKeyInput, UserApiKey,
};

/// Queries of personal API keys.
pub struct ApiKeyQueries;
/// Mutations of personal API keys.
pub struct ApiKeyMutations;

/// A new key with its text.
#[derive(GraphQLObject)]
pub struct CreateUserApiKeyResult {
    /// Text of the key. This answer alone contains it.
    key: String,
    /// The new key.
    api_key: UserApiKey,
}

/// Result of a deletion.
#[derive(GraphQLObject)]
pub struct DeleteTokenResult {
    /// True.
    success: bool,
}

impl DeleteTokenResult {
    /// Result of a deletion that succeeded.
    pub(crate) const DONE: Self = Self { success: true };
}

#[graphql_object(context = Cx)]
impl ApiKeyQueries {
    async fn api_key_assignable_permissions(ctx: &Cx, kind: ApiKeyKind) -> Result<Vec<ApiKeyPermission>> {
        super::api_key_assignable_permissions(ctx, Ok(AssignableQuery { kind })).await
    }

    async fn user_api_keys(ctx: &Cx) -> Result<Vec<UserApiKey>> {
        super::user_api_keys(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl ApiKeyMutations {
    async fn create_user_api_key(ctx: &Cx, input: CreateUserApiKeyInput) -> Result<CreateUserApiKeyResult> {
        let created = super::create_user_api_key(ctx, Ok(input)).await?;
        Ok(CreateUserApiKeyResult { key: created.key.expose().to_owned(), api_key: created.api_key })
    }

    async fn update_user_api_key(ctx: &Cx, id: Uuid, input: UpdateUserApiKeyInput) -> Result<UserApiKey> {
        super::update_user_api_key(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_user_api_key(ctx: &Cx, id: Uuid) -> Result<DeleteTokenResult> {
        super::delete_user_api_key(ctx, Ok(id)).await.map(|()| DeleteTokenResult::DONE)
    }
}
