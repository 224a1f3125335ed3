//! GraphQL field of `oauth`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{ExchangeOauthInput, OauthExchange};

/// Mutation fields.
pub struct OauthMutations;

#[graphql_object(context = Cx)]
impl OauthMutations {
    async fn exchange_oauth(ctx: &Cx, platform: String, input: ExchangeOauthInput) -> Result<OauthExchange> {
        super::exchange_oauth(ctx, &platform, Ok(input)).await
    }
}
