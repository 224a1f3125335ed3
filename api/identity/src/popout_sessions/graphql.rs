//! Sessions of popouts over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{ExchangePopoutTokenInput, PopoutSession};
use crate::auth::WsToken;

/// Mutations of popout sessions.
pub struct PopoutSessionMutations;

#[graphql_object(context = Cx)]
impl PopoutSessionMutations {
    async fn exchange_popout_token(ctx: &Cx, input: ExchangePopoutTokenInput) -> Result<PopoutSession> {
        super::exchange_popout_token(ctx, Ok(input)).await
    }

    async fn issue_popout_ws_token(ctx: &Cx) -> Result<WsToken> {
        super::issue_popout_ws_token(ctx).await
    }
}
