//! Signing in and out (specification A §4.2, §5.2 rule 7; C §2.1, §2.2).

mod db;
pub mod graphql;
mod login;
mod refresh;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{
        AnyOperation, Claims, Principal, SessionHolder, SessionToken, SignedIn, TokenType, Visitor,
        member_access, session_token,
    },
    http::{Tier, rate_key},
};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit::{self, Actor},
    events::{Channel, Event},
    id::{AccountId, UserId},
    invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

use login::Login;
use refresh::RefreshToken;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EXCHANGE_TOKEN, &REFRESH_TOKEN, &LOGOUT, &ISSUE_WS_TOKEN];

/// Who signs in, and the provider's proof of it.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct ExchangeTokenInput {
    /// `twitch`, `google`, `discord`, `kick` or `trovo`.
    #[schema(example = "twitch")]
    pub provider: String,
    /// The person's id at the provider.
    pub provider_user_id: String,
    /// A token that the provider issued to this deployment's application.
    pub access_token: String,
    pub profile: LoginProfile,
}

/// How the person appears. What the provider itself tells of user name and avatar wins.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct LoginProfile {
    /// 1 to 100 characters.
    pub display_name: String,
    /// 1 to 100 characters.
    pub username: String,
    /// An http or https address.
    pub avatar_url: Option<String>,
    /// Ignored for `google` and `kick`, which tell the address themselves.
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
    pub expires_at: DateTime<Utc>,
    pub user_id: Uuid,
    /// Whether this was the person's first sign-in.
    pub is_new_user: bool,
}

/// The refresh token of a session.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
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
    pub expires_at: DateTime<Utc>,
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
pub static EXCHANGE_TOKEN: Operation<Visitor> = Operation::public("exchangeToken");

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
    let platform = login::platform(&input.provider)?;
    login::check_enabled(cx, platform).await?;
    let login = Login::verified(cx, &visitor, platform, input).await?;
    let may_create_account = login::may_create_account(cx).await?;

    let mut connection = visitor.db().await?;
    let signed_in = connection
        .transaction(async |connection| {
            let person = login::find_or_create(cx, connection, &login, may_create_account).await?;
            open_session(cx, connection, person.user, person.account).await.map(|session| (person, session))
        })
        .await;
    drop(connection);
    let (person, session) = signed_in?;
    let token = session_token(cx.state(), person.user, session.id, person.account)?;
    Ok(ExchangedToken {
        token: token.text.expose().to_owned(),
        refresh_token: session.refresh.text.expose().to_owned(),
        expires_at: token.expires_at,
        user_id: person.user.0,
        is_new_user: person.is_new,
    })
}

/// Exchanges a refresh token for the session's next pair of tokens.
pub static REFRESH_TOKEN: Operation<Visitor> = Operation::public("refreshToken");

/// Exchanges a refresh token for the session's next pair of tokens. Each works once: one that comes a second time
/// was stolen from or by somebody, so the session ends (C §2.1).
///
/// # Errors
/// 429 over the limit; 401 `Invalid refresh token`.
pub async fn refresh_token(cx: &Cx, input: Input<RefreshTokenInput>) -> Result<RefreshedToken> {
    let visitor = cx.authorize(&REFRESH_TOKEN).await?;
    limit_attempts(cx).await?;
    let presented =
        refresh::Presented::read(cx.state(), &input?.refresh_token).ok_or_else(invalid_refresh_token)?;
    let waiting = db::waiting_session(&mut *visitor.db().await?, &presented, cx.state().clock.now()).await?;
    let Some(account) = waiting else { return Err(end_replayed(cx, &visitor, &presented).await?) };
    // Whatever can fail comes before the rotation: a failure after it would make the client's next try a replay.
    let token = token_for_member(cx, presented.user, presented.session, account).await?;
    let next = RefreshToken::issue(cx.state(), presented.user, presented.session)?;
    if !db::rotate(&mut *visitor.db().await?, &presented, &next, cx.state().clock.now()).await? {
        return Err(end_replayed(cx, &visitor, &presented).await?);
    }
    // Its end moved, also where other processes remember the session.
    cx.changed(Invalidation::Session { id: presented.session }).await;
    Ok(RefreshedToken {
        token: token.text.expose().to_owned(),
        refresh_token: next.text.expose().to_owned(),
        expires_at: token.expires_at,
        user_id: presented.user.0,
    })
}

/// Ends the caller's session.
pub static LOGOUT: Operation<SessionHolder> = Operation::session("logout");

/// Ends the caller's session: its tokens stop working at once, in every process.
///
/// # Errors
/// As the rule.
pub async fn logout(cx: &Cx, input: Input<LogoutInput>) -> Result<()> {
    let holder = cx.authorize(&LOGOUT).await?;
    input?;
    let mut connection = holder.db().await?;
    end_session(cx, &mut connection, holder.user, holder.session, cx.actor(), "logout").await?;
    drop(connection);
    announce_end(cx, holder.user, holder.session).await;
    Ok(())
}

/// Issues a token for the WebSocket.
pub static ISSUE_WS_TOKEN: Operation<SignedIn> = Operation::first_party("issueWsToken");

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
async fn limit_attempts(cx: &Cx) -> Result<()> {
    let address = rate_key(cx.request().ip);
    let limit = Tier::AuthExchange.limit(&cx.state().config.rate_limits);
    let verdict = cx.state().limiter.check(Tier::AuthExchange, &address, limit).await;
    cx.refuse_over(&verdict)
}

/// Ends the session of a refresh token that it does not wait for; the answer to whoever presented it.
async fn end_replayed(cx: &Cx, visitor: &Visitor, presented: &refresh::Presented) -> Result<ApiError> {
    let (user, session) = (presented.user, presented.session);
    let mut connection = visitor.db().await?;
    let is_replay = end_session(cx, &mut connection, user, session, Actor::User(user.0), "replay").await?;
    drop(connection);
    if is_replay {
        announce_end(cx, user, session).await;
    }
    Ok(invalid_refresh_token())
}

struct OpenedSession {
    id: Uuid,
    refresh: RefreshToken,
}

async fn open_session(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    account: Option<AccountId>,
) -> Result<OpenedSession> {
    let id = shared::id::new();
    let refresh = RefreshToken::issue(cx.state(), user, id)?;
    let now = cx.state().clock.now();
    let session = db::NewSession {
        id,
        user_id: user,
        refresh_hash: &refresh.hash,
        active_account_id: account,
        ip: cx.request().truncated_ip(),
        user_agent: cx.request().user_agent.as_deref(),
        created_at: now,
        last_seen_at: now,
        expires_at: refresh.expires_at,
    };
    db::insert_session(connection, &session).await?;
    let entry = audit::Entry {
        scope: audit::Scope::User,
        actor: Actor::User(user.0),
        ..cx.audit("session:created", "session", id)
    };
    audit::record(connection, entry).await?;
    Ok(OpenedSession { id, refresh })
}

/// Whether there was a session to end.
async fn end_session(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    session: Uuid,
    actor: Actor,
    reason: &str,
) -> Result<bool> {
    let now = cx.state().clock.now();
    connection
        .transaction(async |connection| {
            if !db::revoke_session(connection, user, session, now).await? {
                return Ok(false);
            }
            let entry = audit::Entry {
                scope: audit::Scope::User,
                actor,
                metadata: json!({ "reason": reason }),
                ..cx.audit("session:revoked", "session", session)
            };
            audit::record(connection, entry).await?;
            Ok(true)
        })
        .await
}

async fn announce_end(cx: &Cx, user: UserId, session: Uuid) {
    cx.changed(Invalidation::Session { id: session }).await;
    let data = json!({ "session_id": session });
    let event = Event::new(Channel::User(user.0), "session:revoked", data, cx.state().clock.now());
    if let Err(error) = cx.state().events.append(&event).await {
        // The session has ended; only open sockets learn of it later, when their token is looked at again.
        tracing::warn!(%error, "the end of a session could not be told to sockets");
    }
}

/// A token that acts in `account` if the person still belongs to it.
async fn token_for_member(
    cx: &Cx,
    user: UserId,
    session: Uuid,
    account: Option<AccountId>,
) -> Result<SessionToken> {
    let account = match account {
        Some(account) => member_access(cx.state(), account, user).await?.map(|_| account),
        None => None,
    };
    session_token(cx.state(), user, session, account)
}

fn invalid_refresh_token() -> ApiError {
    ApiError::unauthorized("Invalid refresh token")
}
