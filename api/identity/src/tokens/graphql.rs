//! What a credential may do, over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::TokenPermissions;

pub struct TokenQueries;

#[graphql_object(context = Cx)]
impl TokenQueries {
    /// What the credential of this request may do.
    async fn my_permissions(ctx: &Cx) -> Result<TokenPermissions> {
        super::my_permissions(ctx).await
    }
}
