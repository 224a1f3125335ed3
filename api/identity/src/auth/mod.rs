//! Sign-in and sign-out (reference/credentials.md#signing-in).

mod applications;
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
        AnyOperation, Claims, Grants, Principal, SignedIn, TokenType, Visitor, named_account, session_token,
    },
    http::{Tier, rate_key},
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    id::{AccountId, UserId},
    platform::Platform,
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

/// An identity at a provider and the proof of it.
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
    /// Id of the person at the provider.
    #[schema(extensions(("maxLength" = json!(login::MAX_PROVIDER_ID_LENGTH))))]
    pub provider_user_id: String,
    /// Access token that the provider issued to an application of this deployment.
    #[schema(extensions(("maxLength" = json!(login::MAX_ACCESS_TOKEN_LENGTH))))]
    pub access_token: String,
    /// Names of the person at the provider.
    pub profile: LoginProfile,
}

/// An identity at a provider, the proof of it, and the account to act in.
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
    /// Id of the person at the provider.
    #[schema(extensions(("maxLength" = json!(login::MAX_PROVIDER_ID_LENGTH))))]
    pub provider_user_id: String,
    /// Access token that the provider issued to an application of this deployment.
    #[schema(extensions(("maxLength" = json!(login::MAX_ACCESS_TOKEN_LENGTH))))]
    pub access_token: String,
    /// Names of the person at the provider.
    pub profile: LoginProfile,
    /// Account of the person to act in. Null or absent: the one that they acted in last.
    pub account_id: Option<Uuid>,
}

/// Profile of the person. User name and avatar that the provider reports have priority.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct LoginProfile {
    /// Display name, 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(account_model::accounts::MAX_NAME_LENGTH))))]
    pub display_name: String,
    /// User name, 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(login::MAX_USERNAME_LENGTH))))]
    pub username: String,
    /// Address of an image, with the scheme http or https.
    #[schema(extensions(("maxLength" = json!(login::MAX_URL_LENGTH))))]
    pub avatar_url: Option<String>,
    /// E-mail address. Ignored for `google` and `kick`, which report it themselves.
    #[schema(extensions(("maxLength" = json!(api_core::validate::MAX_EMAIL_LENGTH))))]
    pub email: Option<String>,
}

/// Pair of tokens of a new session.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExchangedToken {
    /// Session token for the `Authorization` header.
    pub token: String,
    /// Refresh token, usable once at `POST /v1/auth/refresh`.
    pub refresh_token: String,
    /// Time from which `token` no longer works.
    pub expires_at: Timestamp,
    /// Id of the person.
    pub user_id: Uuid,
    /// True when this sign-in created the user.
    pub is_new_user: bool,
}

/// The refresh token of a session.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "refresh_token": "lm_eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl" }))]
pub struct RefreshTokenInput {
    /// Text of the refresh token.
    pub refresh_token: String,
}

/// Next pair of tokens of a session.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct RefreshedToken {
    /// Session token for the `Authorization` header.
    pub token: String,
    /// Refresh token, usable once at `POST /v1/auth/refresh`.
    pub refresh_token: String,
    /// Time from which `token` no longer works.
    pub expires_at: Timestamp,
    /// Id of the person.
    pub user_id: Uuid,
}

/// Input of a sign-out.
#[derive(Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct LogoutInput {
    /// Accepted and ignored: the session of the access token ends, and its refresh token with it.
    pub refresh_token: Option<String>,
}

/// A token for the WebSocket.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct WsToken {
    /// Token that is accepted at `/v1/ws` only.
    pub ws_token: String,
}

pub static EXCHANGE_TOKEN: Operation<Visitor> = Operation::public("exchangeToken", Grants::Credentials)
    .not_idempotent("signs in: the answer is a credential");

/// Signs a person in with an access token of a provider and opens a session.
///
/// An unknown identity becomes a user. The user gets one account while accounts may be created, else none. A
/// known identity gets the new grant, and its reconnect flag is cleared. The session acts in the account that
/// the person acted in last, else in the oldest membership.
///
/// # Errors
/// - 400: an input is malformed.
/// - 401 `Invalid provider token`: the token is not valid, was issued to another application or belongs to
///   another person.
/// - 403 `FEATURE_DISABLED`: sign-in with the provider is switched off.
/// - 429: too many sign-in attempts from this address.
/// - 500: the provider is not configured or does not answer.
#[api_core::operation]
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

pub static AUTHORIZE_LOGIN: Operation<Visitor> = Operation::public("authorizeLogin", Grants::SignIn)
    .not_idempotent("signs in: the answer is a credential");

/// Signs a known person in with an access token of a provider, in an account of their choice.
///
/// An unknown identity does not become a user. Without `account_id` the session acts in the account that the
/// person acted in last, else in the oldest membership. The grant of the login is renewed, and its reconnect
/// flag is cleared.
///
/// # Errors
/// - 400: an input is malformed.
/// - 401 `Invalid provider token`: the token is not valid, was issued to another application or belongs to
///   another person.
/// - 401 `Nobody signs in with this identity`: the identity is unknown.
/// - 403 `FEATURE_DISABLED`: sign-in with the provider is switched off.
/// - 404: the person is not a member of the account.
/// - 429: too many sign-in attempts from this address.
/// - 500: the provider is not configured or does not answer.
#[api_core::operation]
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
    let account = match account_id {
        Some(named) => Some(members_account(cx, named, known.user_id).await?),
        None => None,
    };
    let signed_in = visitor
        .db()
        .await?
        .transaction(async |connection| {
            let person = identity::find_known(cx, connection, &login, known.user_id, account).await?;
            // The identity may belong to another person by now.
            let person = person.ok_or_else(unknown_identity)?;
            session::open(cx, connection, &person).await.map(|opened| (person, opened))
        })
        .await?;
    answer(cx, signed_in)
}

pub static LINK_LOGIN_PROVIDER: Operation<SignedIn> =
    Operation::first_party("linkLoginProvider", Grants::SignIn)
        .not_idempotent("an identity is linked once: a repetition changes nothing");

/// A login connection that was linked.
pub struct LinkedLogin {
    /// The login connection.
    pub connection: LoginConnection,
    /// False when the caller had the identity already; its grant was then renewed and its reconnect flag
    /// cleared.
    pub is_new: bool,
}

/// Adds another identity for sign-in to the caller, or renews the grant of an existing one.
///
/// Over REST a new identity is answered 201 and a renewed one 200. A renewal clears the reconnect flag. A
/// session links at once, and the person is notified. An API key gets `confirmed: false`: the login cannot
/// sign in until a session of the person confirms it by the notification `login_linked`, and it ends after 24
/// hours.
///
/// (reference/users.md#unconfirmed-logins)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: an input is malformed.
/// - 401 `Invalid provider token`: the token is not valid, was issued to another application or belongs to
///   another person.
/// - 403 `FEATURE_DISABLED`: sign-in with the provider is switched off.
/// - 409: the identity belongs to another user, or too many logins of the caller wait for confirmation.
/// - 429: too many sign-in attempts from this address.
/// - 500: the provider is not configured or does not answer.
#[api_core::operation]
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

pub static ISSUE_WS_TOKEN: Operation<SignedIn> = Operation::first_party("issueWsToken", Grants::Credentials)
    .not_idempotent("signs a credential and stores nothing");

/// Issues a short-lived token for the WebSocket.
///
/// The token may be part of the URL of the WebSocket, where an API key may not, and is accepted there only.
/// It ends with the session or key that it was issued to.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn issue_ws_token(cx: &Cx) -> Result<WsToken> {
    let person = cx.authorize(&ISSUE_WS_TOKEN).await?;
    let state = cx.state();
    let (now, lifetime) = (state.clock.now(), state.config.secrets.ws_token_lifetime_seconds);
    let account = person.account.map(AccountId::uuid);
    let claims_of = |session| Claims::new(TokenType::Ws, person.user.0, session, account, now, lifetime);
    let claims = match cx.principal() {
        Principal::Session { session, .. } => claims_of(*session),
        Principal::PersonalKey { id, .. } => Claims { key: Some(*id), ..claims_of(*id) },
        _ => return Err(ApiError::internal("a first-party rule admitted another credential")),
    };
    Ok(WsToken { ws_token: state.jwt.sign(&claims)? })
}

/// Counts the call against the limit of sign-in attempts of the address, in addition to the limit of the tier
/// (reference/limits.md#sign-in-attempts).
pub(crate) async fn limit_attempts(cx: &Cx) -> Result<()> {
    let address = rate_key(cx.request().ip);
    let limit = Tier::AuthExchange.limit(&cx.state().config.rate_limits);
    let verdict = cx.state().limiter.check(Tier::AuthExchange, &address, limit).await;
    cx.refuse_over(&verdict)
}

/// Platform of a provider for which sign-in is switched on.
async fn enabled_platform(cx: &Cx, provider: &str) -> Result<Platform> {
    let platform = login::platform(provider)?;
    login::check_enabled(cx, platform).await?;
    Ok(platform)
}

async fn members_account(cx: &Cx, named: Uuid, user: UserId) -> Result<AccountId> {
    let account = named_account(cx.state(), named, user).await?;
    account.ok_or_else(|| ApiError::not_found("Account not found"))
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
