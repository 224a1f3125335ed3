//! System keys over GraphQL.

use api_core::{Cx, Result};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{AdminCreateSystemKeyInput, AdminSystemKey};

/// Queries of system keys.
pub struct SystemKeyQueries;
/// Mutations of system keys.
pub struct SystemKeyMutations;

/// A new system key with its text.
#[derive(GraphQLObject)]
pub struct AdminCreateSystemKeyResult {
    /// Text of the key. This answer alone contains it.
    key: String,
    /// The new key.
    system_key: AdminSystemKey,
}

#[graphql_object(context = Cx)]
impl SystemKeyQueries {
    async fn admin_system_keys(ctx: &Cx) -> Result<Vec<AdminSystemKey>> {
        super::admin_system_keys(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl SystemKeyMutations {
    async fn admin_create_system_key(
        ctx: &Cx,
        input: AdminCreateSystemKeyInput,
    ) -> Result<AdminCreateSystemKeyResult> {
        let created = super::admin_create_system_key(ctx, Ok(input)).await?;
        let (key, system_key) = (created.key.expose().to_owned(), created.system_key);
        Ok(AdminCreateSystemKeyResult { key, system_key })
    }

    async fn admin_delete_system_key(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_system_key(ctx, Ok(id)).await.map(|()| true)
    }
}
