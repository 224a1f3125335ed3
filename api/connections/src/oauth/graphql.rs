//! The OAuth exchange over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{ExchangeOauthInput, OauthExchange};

pub struct OauthMutations;

#[graphql_object(context = Cx)]
impl OauthMutations {
    /// Make a connection out of what a platform gave the browser.
    async fn exchange_oauth(ctx: &Cx, platform: String, input: ExchangeOauthInput) -> Result<OauthExchange> {
        super::exchange_oauth(ctx, &platform, Ok(input)).await
    }
}
