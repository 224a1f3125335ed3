//! Signing in and out over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{
    AuthorizeLoginInput, ExchangeTokenInput, ExchangedToken, LogoutInput, RefreshTokenInput, RefreshedToken,
    WsToken,
};
use crate::login_connections::LoginConnection;

pub struct AuthMutations;

#[graphql_object(context = Cx)]
impl AuthMutations {
    /// Sign in with a provider's access token.
    async fn exchange_token(ctx: &Cx, input: ExchangeTokenInput) -> Result<ExchangedToken> {
        super::exchange_token(ctx, Ok(input)).await
    }

    /// Sign in with a provider's access token, as somebody who has signed in before.
    async fn authorize_login(ctx: &Cx, input: AuthorizeLoginInput) -> Result<ExchangedToken> {
        super::authorize_login(ctx, Ok(input)).await
    }

    /// Add another identity to sign in with, or renew the grant of one. What an API key adds is not confirmed: it
    /// signs nobody in before a session of the person confirms it.
    async fn link_login_provider(ctx: &Cx, input: ExchangeTokenInput) -> Result<LoginConnection> {
        super::link_login_provider(ctx, Ok(input)).await.map(|linked| linked.connection)
    }

    /// Get a session's next pair of tokens.
    async fn refresh_token(ctx: &Cx, input: RefreshTokenInput) -> Result<RefreshedToken> {
        super::refresh_token(ctx, Ok(input)).await
    }

    /// Sign out: the session of the token ends.
    async fn logout(ctx: &Cx, input: Option<LogoutInput>) -> Result<bool> {
        super::logout(ctx, Ok(input.unwrap_or_default())).await.map(|()| true)
    }

    /// Get a short-lived token for the WebSocket.
    async fn issue_ws_token(ctx: &Cx) -> Result<WsToken> {
        super::issue_ws_token(ctx).await
    }
}
