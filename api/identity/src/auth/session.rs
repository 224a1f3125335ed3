//! Refreshing and ending the session that a token belongs to, and opening one (C §2.1, §2.2).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, SessionHolder, SessionToken, Visitor, member_access, session_token},
    sessions::{Reason, announce_end},
};
use diesel_async::AsyncPgConnection;
use shared::{
    audit::{self, Actor},
    id::{AccountId, UserId},
    invalidation::Invalidation,
};
use uuid::Uuid;

use super::{
    LogoutInput, RefreshTokenInput, RefreshedToken, db,
    identity::SignedInPerson,
    limit_attempts,
    refresh::{self, RefreshToken},
};
use crate::sessions::end;

/// Exchanges a refresh token for the session's next pair of tokens.
pub static REFRESH_TOKEN: Operation<Visitor> = Operation::public("refreshToken", Grants::Credentials);

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
        expires_at: token.expires_at.into(),
        user_id: presented.user.0,
    })
}

/// Ends the caller's session.
pub static LOGOUT: Operation<SessionHolder> = Operation::session("logout", Grants::Credentials);

/// Ends the caller's session: its tokens stop working at once, in every process.
///
/// # Errors
/// As the rule.
pub async fn logout(cx: &Cx, input: Input<LogoutInput>) -> Result<()> {
    let holder = cx.authorize(&LOGOUT).await?;
    input?;
    let mut connection = holder.db().await?;
    end(cx, &mut connection, holder.user, holder.session, cx.actor(), Reason::Logout).await?;
    drop(connection);
    announce_end(cx, holder.session).await;
    Ok(())
}

/// Ends the session of a refresh token that it does not wait for; the answer to whoever presented it.
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

/// A session that was just opened.
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
