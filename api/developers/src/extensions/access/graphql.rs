//! Access grants over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{ExtensionAccessGrant, GrantExtensionAccessInput};

pub struct ExtensionAccessQueries;
pub struct ExtensionAccessMutations;

#[graphql_object(context = Cx)]
impl ExtensionAccessQueries {
    /// Accounts that may install an extension.
    async fn extension_access_grants(ctx: &Cx, id: Uuid) -> Result<Vec<ExtensionAccessGrant>> {
        super::extension_access_grants(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl ExtensionAccessMutations {
    /// Let an account install an extension.
    async fn grant_extension_access(
        ctx: &Cx,
        id: Uuid,
        input: GrantExtensionAccessInput,
    ) -> Result<ExtensionAccessGrant> {
        super::grant_extension_access(ctx, Ok(id), Ok(input)).await
    }

    /// Take an account's access back.
    async fn revoke_extension_access(ctx: &Cx, id: Uuid, account_id: Uuid) -> Result<bool> {
        super::revoke_extension_access(ctx, Ok(id), Ok(account_id)).await.map(|()| true)
    }
}
