//! The current user over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{CurrentUser, UpdateMeInput};

pub struct UserQueries;
pub struct UserMutations;

#[graphql_object(context = Cx)]
impl UserQueries {
    /// The person who calls.
    async fn me(ctx: &Cx) -> Result<CurrentUser> {
        super::me(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl UserMutations {
    /// Change the person who calls.
    async fn update_me(ctx: &Cx, input: UpdateMeInput) -> Result<CurrentUser> {
        super::update_me(ctx, Ok(input)).await
    }
}
