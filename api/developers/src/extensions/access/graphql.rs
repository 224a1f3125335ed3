//! Access grants over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{ExtensionAccessGrant, GrantExtensionAccessInput};

/// Queries of access grants.
pub struct ExtensionAccessQueries;
/// Mutations of access grants.
pub struct ExtensionAccessMutations;

#[graphql_object(context = Cx)]
impl ExtensionAccessQueries {
    async fn extension_access_grants(ctx: &Cx, id: Uuid) -> Result<Vec<ExtensionAccessGrant>> {
        super::extension_access_grants(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl ExtensionAccessMutations {
    async fn grant_extension_access(
        ctx: &Cx,
        id: Uuid,
        input: GrantExtensionAccessInput,
    ) -> Result<ExtensionAccessGrant> {
        super::grant_extension_access(ctx, Ok(id), Ok(input)).await
    }

    async fn revoke_extension_access(ctx: &Cx, id: Uuid, account_id: Uuid) -> Result<bool> {
        super::revoke_extension_access(ctx, Ok(id), Ok(account_id)).await.map(|()| true)
    }
}
