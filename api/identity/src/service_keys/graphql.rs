//! Service keys over GraphQL.

use api_core::{Cx, Patch, Result};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{AccountServiceKey, CreateAccountServiceKeyInput, UpdateAccountServiceKeyInput};
use crate::api_keys::graphql::DeleteTokenResult;

/// Queries of service keys.
pub struct ServiceKeyQueries;
/// Mutations of service keys.
pub struct ServiceKeyMutations;

/// A new service key with its text.
#[derive(GraphQLObject)]
pub struct CreateAccountServiceKeyResult {
    /// Text of the key. This answer alone contains it.
    key: String,
    /// The new key.
    service_key: AccountServiceKey,
}

#[graphql_object(context = Cx)]
impl ServiceKeyQueries {
    async fn account_service_keys(ctx: &Cx) -> Result<Vec<AccountServiceKey>> {
        super::account_service_keys(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl ServiceKeyMutations {
    async fn create_account_service_key(
        ctx: &Cx,
        input: CreateAccountServiceKeyInput,
    ) -> Result<CreateAccountServiceKeyResult> {
        let created = super::create_account_service_key(ctx, Ok(input)).await?;
        let (key, service_key) = (created.key.expose().to_owned(), created.service_key);
        Ok(CreateAccountServiceKeyResult { key, service_key })
    }

    async fn update_account_service_key(
        ctx: &Cx,
        id: Uuid,
        label: Patch<String>,
    ) -> Result<AccountServiceKey> {
        super::update_account_service_key(ctx, Ok(id), Ok(UpdateAccountServiceKeyInput { label })).await
    }

    async fn delete_account_service_key(ctx: &Cx, id: Uuid) -> Result<DeleteTokenResult> {
        super::delete_account_service_key(ctx, Ok(id)).await.map(|()| DeleteTokenResult::DONE)
    }
}
