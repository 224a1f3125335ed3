//! The current user over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{CurrentUser, UpdateMeInput};

/// Queries of the current user.
pub struct UserQueries;
/// Mutations of the current user.
pub struct UserMutations;

#[graphql_object(context = Cx)]
impl UserQueries {
    async fn me(ctx: &Cx) -> Result<CurrentUser> {
        super::me(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl UserMutations {
    async fn update_me(ctx: &Cx, input: UpdateMeInput) -> Result<CurrentUser> {
        super::update_me(ctx, Ok(input)).await
    }
}
