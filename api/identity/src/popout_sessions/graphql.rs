//! Sessions of popouts over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{ExchangePopoutTokenInput, PopoutSession};
use crate::auth::WsToken;

pub struct PopoutSessionMutations;

#[graphql_object(context = Cx)]
impl PopoutSessionMutations {
    /// Exchange a popout token for a session. Sets the session's cookie as well.
    async fn exchange_popout_token(ctx: &Cx, input: ExchangePopoutTokenInput) -> Result<PopoutSession> {
        super::exchange_popout_token(ctx, Ok(input)).await
    }

    /// Get a short-lived token for the WebSocket, as a popout.
    async fn issue_popout_ws_token(ctx: &Cx) -> Result<WsToken> {
        super::issue_popout_ws_token(ctx).await
    }
}
