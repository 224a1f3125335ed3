//! The caller's own sessions (reference/users.md#own-sessions).

mod db;
mod ending;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Principal, SignedIn},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use sign_in::{
    sessions::{Reason, announce_end, current, publish_revoked, record},
    sign_in_changes::require_session,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use ending::end;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&MY_SESSIONS, &REVOKE_OTHER_SESSIONS, &REVOKE_SESSION];

/// A session of the caller.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Session {
    /// Id of the session.
    pub id: Uuid,
    /// Time of the sign-in.
    pub created_at: Timestamp,
    /// Time of the last refresh of its tokens.
    pub last_seen_at: Timestamp,
    /// Time at which the session ends unless it is refreshed before.
    pub expires_at: Timestamp,
    /// Address that the session was opened from, truncated to /24 or /48; null when unknown.
    pub ip: Option<String>,
    /// `User-Agent` of the sign-in; null when there was none.
    pub user_agent: Option<String>,
    /// True for the session of this request.
    pub is_current: bool,
}

pub static MY_SESSIONS: Operation<SignedIn> = Operation::first_party("mySessions", Grants::Nothing);

/// Lists the caller's sessions that have not ended.
///
/// The session that was refreshed last comes first. The list has at most 500 entries.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn my_sessions(cx: &Cx) -> Result<Vec<Session>> {
    let person = cx.authorize(&MY_SESSIONS).await?;
    let now = cx.state().clock.now();
    let rows = db::list(&mut *person.db().await?, person.user, now).await?;
    Ok(rows.into_iter().map(|row| row.shown_to(current(cx))).collect())
}

pub static REVOKE_OTHER_SESSIONS: Operation<SignedIn> =
    Operation::first_party("revokeOtherSessions", Grants::Credentials);

/// Ends every session of the caller except the current one.
///
/// The sessions stop in every process at once, and their sockets are closed. With an API key, the session
/// that created the key stays open. API keys are not revoked.
///
/// (reference/credentials.md#what-a-key-may-not-do)
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn revoke_other_sessions(cx: &Cx) -> Result<()> {
    let person = cx.authorize(&REVOKE_OTHER_SESSIONS).await?;
    let ended = person
        .db()
        .await?
        .transaction(async |connection| {
            let now = cx.state().clock.now();
            let excluded = excluded(cx, connection).await?;
            let ended = db::revoke_others(connection, person.user, excluded, now).await?;
            if !ended.is_empty() {
                let metadata = json!({ "reason": Reason::Others, "sessions": ended });
                record(cx, connection, cx.actor(), None, metadata).await?;
                publish_revoked(connection, person.user, &ended, now).await?;
            }
            Ok::<_, ApiError>(ended)
        })
        .await?;
    for session in ended {
        announce_end(cx, session).await;
    }
    Ok(())
}

pub static REVOKE_SESSION: Operation<SignedIn> = Operation::first_party("revokeSession", Grants::Credentials);

/// Ends one of the caller's sessions.
///
/// The session stops in every process at once, and its sockets are closed. API keys that were created in it
/// keep working.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403: an API key cannot end the session that created it.
/// - 404: the caller has no such session, or it has ended.
#[api_core::operation]
pub async fn revoke_session(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let person = cx.authorize(&REVOKE_SESSION).await?;
    let id = id?;
    let mut connection = person.db().await?;
    if let Principal::PersonalKey { .. } = cx.principal() {
        let excluded = excluded(cx, &mut connection).await?;
        if db::is_excluded(&mut connection, person.user, id, excluded).await? {
            require_session(cx)?;
        }
    }
    if !end(cx, &mut connection, person.user, id, cx.actor(), Reason::Revoked).await? {
        return Err(ApiError::not_found("Session not found"));
    }
    drop(connection);
    announce_end(cx, id).await;
    Ok(())
}

/// Sessions that stay open when the others end: the current one, or the one that made the key.
async fn excluded(cx: &Cx, connection: &mut AsyncPgConnection) -> Result<db::Excluded> {
    match cx.principal() {
        Principal::Session { session, .. } => Ok(db::Excluded::Only(*session)),
        Principal::PersonalKey { id, .. } => db::makers_of(connection, *id).await,
        _ => Err(ApiError::internal("a first-party rule admitted another credential")),
    }
}
