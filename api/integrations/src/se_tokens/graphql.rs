//! GraphQL fields of `se_tokens`.

use api_core::{Cx, Result, graphql_page, http::Success};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AdminSeToken, CreateSeTokenInput, SeToken,
    admin::{self, AdminSeTokensQuery},
};

/// Query fields.
pub struct SeTokenQueries;
/// Mutation fields.
pub struct SeTokenMutations;

graphql_page! {
    /// Page of tokens of StreamElements.
    AdminSeTokenPage of AdminSeToken
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SeTokenQueries {
    async fn se_tokens(ctx: &Cx) -> Result<Vec<SeToken>> {
        super::se_tokens(ctx).await
    }

    async fn admin_se_tokens(ctx: &Cx, page: Option<i32>, limit: Option<i32>) -> Result<AdminSeTokenPage> {
        let query = AdminSeTokensQuery { page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(admin::admin_se_tokens(ctx, Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SeTokenMutations {
    async fn create_se_token(ctx: &Cx, input: CreateSeTokenInput) -> Result<SeToken> {
        Ok(super::create_se_token(ctx, Ok(input)).await?.token)
    }

    async fn delete_se_token(ctx: &Cx, id: Uuid) -> Result<Success> {
        super::delete_se_token(ctx, Ok(id)).await.map(|()| Success::DONE)
    }

    async fn admin_delete_se_token(ctx: &Cx, id: Uuid) -> Result<Success> {
        admin::admin_delete_se_token(ctx, Ok(id)).await.map(|()| Success::DONE)
    }
}
