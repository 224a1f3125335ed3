//! Sessions of popouts: a popout token is exchanged for a short-lived session token, which may be carried in
//! a cookie and issues tokens for the WebSocket (reference/credentials.md#popout-sessions).

pub mod graphql;
pub mod rest;

use actix_web::cookie::{Cookie, SameSite, time::Duration};
use api_core::token::TokenKind;
use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Claims, Credential, Grants, PopoutHolder, TokenType, Visitor, popout_token},
    http::POPOUT_COOKIE,
};
use chrono::DateTime;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    config::Environment,
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::auth::{WsToken, limit_attempts};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EXCHANGE_POPOUT_TOKEN, &ISSUE_POPOUT_WS_TOKEN];

/// Lifetime of a popout session, in seconds.
const LIFETIME_SECONDS: i64 = 15 * 60;

/// A popout token to exchange.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "token": "lm_pop_9f2c0e5b7a1d4c38e6f0a2b4c6d8e0f19f2c0e5b7a1d4c38e6f0a2b4c6d8e0f1" }))]
pub struct ExchangePopoutTokenInput {
    /// Text of the popout token, `lm_pop_…`.
    #[schema(extensions(("maxLength" = json!(TokenKind::Popout.length()))))]
    pub token: String,
}

/// The session of a popout.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct PopoutSession {
    /// Session token for the `Authorization` header. The answer also sets it as a cookie.
    pub token: String,
    /// Time from which `token` no longer works.
    pub expires_at: Timestamp,
    /// Account that the popout acts in.
    pub account_id: Uuid,
}

pub static EXCHANGE_POPOUT_TOKEN: Operation<Visitor> =
    Operation::public("exchangePopoutToken", Grants::Credentials)
        .not_idempotent("signs a credential and stores nothing");

/// Exchanges a popout token for a session of 15 minutes.
///
/// The session has the permissions of the token and ends with it. The answer also sets the session as the
/// cookie `service-popout-token`. The popout token itself stays valid.
///
/// # Errors
/// - 401 `Invalid or expired popout token`: the token is revoked, expired, unknown or of another kind.
/// - 429: too many sign-in attempts from this address.
#[api_core::operation]
pub async fn exchange_popout_token(cx: &Cx, input: Input<ExchangePopoutTokenInput>) -> Result<PopoutSession> {
    cx.authorize(&EXCHANGE_POPOUT_TOKEN).await?;
    limit_attempts(cx).await?;
    let popout = popout_token(cx.state(), &input?.token).await?;
    let Some((popout, user, account)) = popout.as_deref().and_then(bound) else {
        return Err(ApiError::unauthorized("Invalid or expired popout token"));
    };
    let now = cx.state().clock.now();
    let left = popout.expires_at.map_or(LIFETIME_SECONDS, |at| (at - now).num_seconds().max(1));
    let lifetime = left.min(LIFETIME_SECONDS);
    let claims = Claims {
        perms: Some(popout.permissions.to_strings()),
        ..Claims::new(TokenType::Popout, user.0, popout.id, Some(account.uuid()), now, lifetime)
    };
    let token = cx.state().jwt.sign(&claims)?;
    cx.set_cookie(cookie(token.clone(), cx.state().config.environment));
    let expires_at = DateTime::from_timestamp(claims.exp, 0).unwrap_or(now).into();
    Ok(PopoutSession { token, expires_at, account_id: account.uuid() })
}

pub static ISSUE_POPOUT_WS_TOKEN: Operation<PopoutHolder> =
    Operation::popout_session("issuePopoutWsToken", Grants::Credentials)
        .not_idempotent("signs a credential and stores nothing");

/// Issues a short-lived token for the WebSocket to the session of a popout.
///
/// The token has the permissions of the popout and is accepted at the handshake of the WebSocket only. It
/// ends with the popout token.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn issue_popout_ws_token(cx: &Cx) -> Result<WsToken> {
    let holder = cx.authorize(&ISSUE_POPOUT_WS_TOKEN).await?;
    let state = cx.state();
    let (now, lifetime) = (state.clock.now(), state.config.secrets.ws_token_lifetime_seconds);
    let (user, account) = (holder.user.0, Some(holder.account.uuid()));
    let claims = Claims {
        perms: Some(holder.scopes.to_strings()),
        ..Claims::new(TokenType::Ws, user, holder.popout, account, now, lifetime)
    };
    Ok(WsToken { ws_token: state.jwt.sign(&claims)? })
}

/// A popout token with the person and the account that it acts for.
fn bound(popout: &Credential) -> Option<(&Credential, UserId, AccountId)> {
    Some((popout, popout.user?, popout.account?))
}

fn cookie(token: String, environment: Environment) -> Cookie<'static> {
    Cookie::build(POPOUT_COOKIE, token)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(environment != Environment::Development)
        .max_age(Duration::seconds(LIFETIME_SECONDS))
        .finish()
}

#[cfg(test)]
mod tests {
    use shared::config::Environment;

    use super::*;

    #[test]
    fn popout_session_cookie_has_its_name_and_attributes() {
        let written = |environment| cookie("lm_x".to_owned(), environment).to_string();
        let everywhere = "service-popout-token=lm_x; HttpOnly; SameSite=Lax";
        assert_eq!(written(Environment::Development), format!("{everywhere}; Path=/; Max-Age=900"));
        assert_eq!(written(Environment::Production), format!("{everywhere}; Secure; Path=/; Max-Age=900"));
    }
}
