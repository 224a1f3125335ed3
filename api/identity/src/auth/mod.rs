//! Signing in and out (specification A §4.2, §5.2 rule 7; C §2.1, §2.2).

mod db;
pub mod graphql;
mod identity;
mod login;
mod refresh;
pub mod rest;
mod session;
mod unconfirmed;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{
        AnyOperation, Claims, Grants, Principal, SignedIn, TokenType, Visitor, member_access, session_token,
    },
    http::{Tier, rate_key},
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    id::{AccountId, UserId},
    platforms::Platform,
};
use utoipa::ToSchema;
use uuid::Uuid;

use identity::{Linked, SignedInPerson};
use login::Login;

use crate::login_connections::{self, LoginConnection};

pub use session::{LOGOUT, REFRESH_TOKEN, logout, refresh_token};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXCHANGE_TOKEN, &AUTHORIZE_LOGIN, &LINK_LOGIN_PROVIDER, &REFRESH_TOKEN, &LOGOUT, &ISSUE_WS_TOKEN];

/// Who signs in, and the provider's proof of it.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "provider": "twitch",
    "provider_user_id": "141981764",
    "access_token": "0123456789abcdefghijabcdefghij",
    "profile": { "display_name": "Ada", "username": "ada" },
}))]
pub struct ExchangeTokenInput {
    /// `twitch`, `google`, `discord`, `kick` or `trovo`.
    #[schema(extensions(("enum" = json!(Platform::login_providers()))))]
    pub provider: String,
    /// The person's id at the provider.
    #[schema(extensions(("maxLength" = json!(login::MAX_PROVIDER_ID_LENGTH))))]
    pub provider_user_id: String,
    /// A token that the provider issued to this deployment's application.
    #[schema(extensions(("maxLength" = json!(login::MAX_ACCESS_TOKEN_LENGTH))))]
    pub access_token: String,
    pub profile: LoginProfile,
}

/// Who signs in, the provider's proof of it, and where they want to act.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "provider": "twitch",
    "provider_user_id": "141981764",
    "access_token": "0123456789abcdefghijabcdefghij",
    "profile": { "display_name": "Ada", "username": "ada" },
    "account_id": null,
}))]
pub struct AuthorizeLoginInput {
    /// `twitch`, `google`, `discord`, `kick` or `trovo`.
    #[schema(extensions(("enum" = json!(Platform::login_providers()))))]
    pub provider: String,
    /// The person's id at the provider.
    #[schema(extensions(("maxLength" = json!(login::MAX_PROVIDER_ID_LENGTH))))]
    pub provider_user_id: String,
    /// A token that the provider issued to this deployment's application.
    #[schema(extensions(("maxLength" = json!(login::MAX_ACCESS_TOKEN_LENGTH))))]
    pub access_token: String,
    pub profile: LoginProfile,
    /// An account that the person belongs to; absent means the one they acted in last.
    pub account_id: Option<Uuid>,
}

/// How the person appears. What the provider itself tells of user name and avatar wins.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct LoginProfile {
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(shared::accounts::MAX_NAME_LENGTH))))]
    pub display_name: String,
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(login::MAX_USERNAME_LENGTH))))]
    pub username: String,
    /// An http or https address.
    #[schema(extensions(("maxLength" = json!(login::MAX_URL_LENGTH))))]
    pub avatar_url: Option<String>,
    /// Ignored for `google` and `kick`, which tell the address themselves.
    #[schema(extensions(("maxLength" = json!(api_core::validate::MAX_EMAIL_LENGTH))))]
    pub email: Option<String>,
}

/// A session's pair of tokens after signing in.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExchangedToken {
    /// Goes into the `Authorization` header.
    pub token: String,
    /// Usable once, at `POST /v1/auth/refresh`.
    pub refresh_token: String,
    /// When `token` stops working.
    pub expires_at: Timestamp,
    pub user_id: Uuid,
    /// Whether this was the person's first sign-in.
    pub is_new_user: bool,
}

/// The refresh token of a session.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "refresh_token": "lm_eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl" }))]
pub struct RefreshTokenInput {
    pub refresh_token: String,
}

/// A session's next pair of tokens.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct RefreshedToken {
    /// Goes into the `Authorization` header.
    pub token: String,
    /// Usable once, at `POST /v1/auth/refresh`.
    pub refresh_token: String,
    /// When `token` stops working.
    pub expires_at: Timestamp,
    pub user_id: Uuid,
}

/// What a client may send when it signs out.
#[derive(Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct LogoutInput {
    /// Accepted and not needed: the session of the access token ends, and its refresh token with it.
    pub refresh_token: Option<String>,
}

/// A token for the WebSocket.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct WsToken {
    /// Accepted at `/v1/ws` only.
    pub ws_token: String,
}

/// Exchanges a provider's access token for a session.
pub static EXCHANGE_TOKEN: Operation<Visitor> = Operation::public("exchangeToken", Grants::Credentials);

/// Exchanges a provider's access token for a session. Whoever signs in for the first time becomes a user, with one
/// account when accounts may be created.
///
/// # Errors
/// 429 over the limit for sign-ins; 400 for a wrong input; 403 `FEATURE_DISABLED` while sign-in with the provider is
/// off; 401 when the token is not valid, was issued to another application or belongs to somebody else; 500 when the
/// provider is not configured or does not answer.
pub async fn exchange_token(cx: &Cx, input: Input<ExchangeTokenInput>) -> Result<ExchangedToken> {
    let visitor = cx.authorize(&EXCHANGE_TOKEN).await?;
    limit_attempts(cx).await?;
    let input = input?;
    let platform = enabled_platform(cx, &input.provider).await?;
    let login = Login::verified(cx, &visitor, platform, input).await?;
    let may_create_account = identity::may_create_account(cx).await?;

    let signed_in = visitor
        .db()
        .await?
        .transaction(async |connection| {
            let person = identity::find_or_create(cx, connection, &login, may_create_account).await?;
            session::open(cx, connection, &person).await.map(|opened| (person, opened))
        })
        .await?;
    answer(cx, signed_in)
}

/// Exchanges a provider's access token for a session of somebody who is known.
pub static AUTHORIZE_LOGIN: Operation<Visitor> = Operation::public("authorizeLogin", Grants::SignIn);

/// Exchanges a provider's access token for a session of somebody who has signed in before, in an account of their
/// choice.
///
/// # Errors
/// As [`exchange_token`]; 401 when nobody signs in with that identity; 404 for an account that the person does not
/// belong to.
pub async fn authorize_login(cx: &Cx, input: Input<AuthorizeLoginInput>) -> Result<ExchangedToken> {
    let visitor = cx.authorize(&AUTHORIZE_LOGIN).await?;
    limit_attempts(cx).await?;
    let AuthorizeLoginInput { provider, provider_user_id, access_token, profile, account_id } = input?;
    let platform = enabled_platform(cx, &provider).await?;
    let input = ExchangeTokenInput { provider, provider_user_id, access_token, profile };
    let login = Login::verified(cx, &visitor, platform, input).await?;
    let known = db::identity(&mut *visitor.db().await?, platform, &login.provider_user_id).await?;
    let Some(known) = known else {
        let mut connection = visitor.db().await?;
        let reason = "nobody signs in with this identity";
        login::record_failure(cx, &mut connection, platform, &login.provider_user_id, reason).await?;
        return Err(unknown_identity());
    };
    let account = match account_id.map(AccountId) {
        Some(account) => Some(members_account(cx, account, known.user_id).await?),
        None => None,
    };
    let signed_in = visitor
        .db()
        .await?
        .transaction(async |connection| {
            let person = identity::find_known(cx, connection, &login, known.user_id, account).await?;
            // It may have gone to somebody else meanwhile.
            let person = person.ok_or_else(unknown_identity)?;
            session::open(cx, connection, &person).await.map(|opened| (person, opened))
        })
        .await?;
    answer(cx, signed_in)
}

/// Gives the caller another identity to sign in with.
pub static LINK_LOGIN_PROVIDER: Operation<SignedIn> =
    Operation::first_party("linkLoginProvider", Grants::SignIn);

/// A login connection that was linked.
pub struct LinkedLogin {
    pub connection: LoginConnection,
    /// False when the caller had it already: then its grant was renewed and its reconnect flag cleared.
    pub is_new: bool,
}

/// Gives the caller another identity to sign in with, or renews the grant of one that they have. One that an API key
/// links is not confirmed: it signs nobody in before a session of the person confirms it (E, 1).
///
/// # Errors
/// As [`exchange_token`]; 409 when the identity is another user's, and for one too many that waits for its
/// confirmation.
pub async fn link_login_provider(cx: &Cx, input: Input<ExchangeTokenInput>) -> Result<LinkedLogin> {
    let person = cx.authorize(&LINK_LOGIN_PROVIDER).await?;
    limit_attempts(cx).await?;
    let input = input?;
    let platform = enabled_platform(cx, &input.provider).await?;
    let login = Login::verified(cx, &person, platform, input).await?;
    person
        .db()
        .await?
        .transaction(async |connection| {
            let (found, is_new) = match identity::link(cx, connection, &login, person.user).await? {
                Linked::Confirmed { id, is_new } => {
                    (login_connections::db::find(connection, id).await?, is_new)
                }
                Linked::Unconfirmed { id, is_new } => {
                    (login_connections::db::find_unconfirmed(connection, id).await?, is_new)
                }
            };
            let connection = found.ok_or_else(|| ApiError::internal("a linked login is not there"))?;
            Ok(LinkedLogin { connection, is_new })
        })
        .await
}

/// Issues a token for the WebSocket.
pub static ISSUE_WS_TOKEN: Operation<SignedIn> = Operation::first_party("issueWsToken", Grants::Credentials);

/// Issues a short-lived token for the WebSocket: it may stand in the URL, where a key may not. It lives no longer
/// than the session or the key that it was issued to.
///
/// # Errors
/// As the rule.
pub async fn issue_ws_token(cx: &Cx) -> Result<WsToken> {
    let person = cx.authorize(&ISSUE_WS_TOKEN).await?;
    let state = cx.state();
    let (now, lifetime) = (state.clock.now(), state.config.secrets.ws_token_lifetime_seconds);
    let account = person.account.map(|account| account.0);
    let claims_of = |session| Claims::new(TokenType::Ws, person.user.0, session, account, now, lifetime);
    let claims = match cx.principal() {
        Principal::Session { session, .. } => claims_of(*session),
        Principal::PersonalKey { id, .. } => Claims { key: Some(*id), ..claims_of(*id) },
        _ => return Err(ApiError::internal("a first-party rule admitted another credential")),
    };
    Ok(WsToken { ws_token: state.jwt.sign(&claims)? })
}

/// Sign-ins and refreshes have a limit of their own by address, in addition to the tier's (C §2.4).
pub(crate) async fn limit_attempts(cx: &Cx) -> Result<()> {
    let address = rate_key(cx.request().ip);
    let limit = Tier::AuthExchange.limit(&cx.state().config.rate_limits);
    let verdict = cx.state().limiter.check(Tier::AuthExchange, &address, limit).await;
    cx.refuse_over(&verdict)
}

/// The platform of a provider that sign-in is on for.
async fn enabled_platform(cx: &Cx, provider: &str) -> Result<Platform> {
    let platform = login::platform(provider)?;
    login::check_enabled(cx, platform).await?;
    Ok(platform)
}

async fn members_account(cx: &Cx, account: AccountId, user: UserId) -> Result<AccountId> {
    match member_access(cx.state(), account, user).await? {
        Some(_) => Ok(account),
        None => Err(ApiError::not_found("Account not found")),
    }
}

fn answer(cx: &Cx, (person, opened): (SignedInPerson, session::Opened)) -> Result<ExchangedToken> {
    let token = session_token(cx.state(), person.user, opened.id, person.account)?;
    Ok(ExchangedToken {
        token: token.text.expose().to_owned(),
        refresh_token: opened.refresh.text.expose().to_owned(),
        expires_at: token.expires_at.into(),
        user_id: person.user.0,
        is_new_user: person.is_new,
    })
}

fn unknown_identity() -> ApiError {
    ApiError::unauthorized("Nobody signs in with this identity")
}
