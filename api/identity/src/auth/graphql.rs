//! Signing in and out over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{
    AuthorizeLoginInput, ExchangeTokenInput, ExchangedToken, LogoutInput, RefreshTokenInput, RefreshedToken,
    WsToken,
};
use crate::login_connections::LoginConnection;

/// Mutations of sign-in and sign-out.
pub struct AuthMutations;

#[graphql_object(context = Cx)]
impl AuthMutations {
    async fn exchange_token(ctx: &Cx, input: ExchangeTokenInput) -> Result<ExchangedToken> {
        super::exchange_token(ctx, Ok(input)).await
    }

    async fn authorize_login(ctx: &Cx, input: AuthorizeLoginInput) -> Result<ExchangedToken> {
        super::authorize_login(ctx, Ok(input)).await
    }

    async fn link_login_provider(ctx: &Cx, input: ExchangeTokenInput) -> Result<LoginConnection> {
        super::link_login_provider(ctx, Ok(input)).await.map(|linked| linked.connection)
    }

    async fn refresh_token(ctx: &Cx, input: RefreshTokenInput) -> Result<RefreshedToken> {
        super::refresh_token(ctx, Ok(input)).await
    }

    async fn logout(ctx: &Cx, input: Option<LogoutInput>) -> Result<bool> {
        super::logout(ctx, Ok(input.unwrap_or_default())).await.map(|()| true)
    }

    async fn issue_ws_token(ctx: &Cx) -> Result<WsToken> {
        super::issue_ws_token(ctx).await
    }
}
