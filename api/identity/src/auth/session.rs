//! Opening, refreshing and ending a session (reference/credentials.md#sessions).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, SessionHolder, SessionToken, Visitor, member_access, session_token},
};
use diesel_async::AsyncPgConnection;
use foundation::{
    audit::{self, Actor},
    invalidation::Invalidation,
};
use shared::id::{AccountId, UserId};
use sign_in::sessions::{Reason, announce_end};
use uuid::Uuid;

use super::{
    LogoutInput, RefreshTokenInput, RefreshedToken, db,
    identity::SignedInPerson,
    limit_attempts,
    refresh::{self, RefreshToken},
};
use crate::sessions::end;

pub static REFRESH_TOKEN: Operation<Visitor> = Operation::public("refreshToken", Grants::Credentials)
    .not_idempotent("its token is valid once: a repetition ends the session");

/// Exchanges a refresh token for the next pair of tokens of its session.
///
/// Each refresh token works once. A token that is presented a second time may have been stolen, so the
/// session ends. The new session token acts in the active account of the session, while the person still
/// belongs to it.
///
/// (reference/credentials.md#refresh)
///
/// # Errors
/// - 401 `Invalid refresh token`: the token is expired, was used before, or its session has ended.
/// - 429: too many sign-in attempts from this address.
#[api_core::operation]
pub async fn refresh_token(cx: &Cx, input: Input<RefreshTokenInput>) -> Result<RefreshedToken> {
    let visitor = cx.authorize(&REFRESH_TOKEN).await?;
    limit_attempts(cx).await?;
    let presented =
        refresh::Presented::read(cx.state(), &input?.refresh_token).ok_or_else(invalid_refresh_token)?;
    let waiting = db::waiting_session(&mut *visitor.db().await?, &presented, cx.state().clock.now()).await?;
    let Some(account) = waiting else { return Err(end_replayed(cx, &visitor, &presented).await?) };
    // Everything that can fail comes before the rotation: after a failure behind it, the client's next
    // attempt would be a replay.
    let token = token_for_member(cx, presented.user, presented.session, account).await?;
    let next = RefreshToken::issue(cx.state(), presented.user, presented.session)?;
    if !db::rotate(&mut *visitor.db().await?, &presented, &next, cx.state().clock.now()).await? {
        return Err(end_replayed(cx, &visitor, &presented).await?);
    }
    // Other processes have cached the earlier end of the session.
    cx.changed(Invalidation::Session { id: presented.session }).await;
    Ok(RefreshedToken {
        token: token.text.expose().to_owned(),
        refresh_token: next.text.expose().to_owned(),
        expires_at: token.expires_at.into(),
        user_id: presented.user.0,
    })
}

pub static LOGOUT: Operation<SessionHolder> =
    Operation::session("logout", Grants::Credentials).not_idempotent("ends its own credential");

/// Signs the caller out: ends the session of the credential.
///
/// The tokens of the session stop in every process at once, and its sockets are closed. The refresh token is
/// not needed. Other sessions of the person stay.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn logout(cx: &Cx, input: Input<LogoutInput>) -> Result<()> {
    let holder = cx.authorize(&LOGOUT).await?;
    input?;
    let mut connection = holder.db().await?;
    end(cx, &mut connection, holder.user, holder.session, cx.actor(), Reason::Logout).await?;
    drop(connection);
    announce_end(cx, holder.session).await;
    Ok(())
}

/// Ends the session of a refresh token that is not its current one. Returns the error for the client.
async fn end_replayed(cx: &Cx, visitor: &Visitor, presented: &refresh::Presented) -> Result<ApiError> {
    let (user, session) = (presented.user, presented.session);
    let mut connection = visitor.db().await?;
    let is_replay = end(cx, &mut connection, user, session, Actor::User(user.0), Reason::Replay).await?;
    drop(connection);
    if is_replay {
        announce_end(cx, session).await;
    }
    Ok(invalid_refresh_token())
}

/// A session that was opened.
pub(super) struct Opened {
    pub id: Uuid,
    pub refresh: RefreshToken,
}

/// Opens a session of a person who signed in.
pub(super) async fn open(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    person: &SignedInPerson,
) -> Result<Opened> {
    let (id, user) = (shared::id::new(), person.user);
    let refresh = RefreshToken::issue(cx.state(), user, id)?;
    let now = cx.state().clock.now();
    let session = db::NewSession {
        id,
        user_id: user,
        refresh_hash: &refresh.hash,
        active_account_id: person.account,
        ip: cx.request().truncated_ip(),
        user_agent: cx.request().user_agent.as_deref(),
        created_at: now,
        last_seen_at: now,
        expires_at: refresh.expires_at,
        login_connection_id: person.login_connection,
    };
    db::insert_session(connection, &session).await?;
    let entry = audit::Entry {
        scope: audit::Scope::User,
        actor: Actor::User(user.0),
        ..cx.audit("session:created", "session", id)
    };
    audit::record(connection, entry).await?;
    Ok(Opened { id, refresh })
}

/// Session token that acts in `account` if the person still belongs to it, else in none.
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
