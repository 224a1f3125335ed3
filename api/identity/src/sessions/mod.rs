//! The caller's own sessions (specification A §4.3; C §2.1, §3).

mod db;
mod ending;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Principal, SignedIn},
    sessions::{Reason, announce_end, current, record, tell},
    sign_in_changes::require_session,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use ending::end;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&MY_SESSIONS, &REVOKE_OTHER_SESSIONS, &REVOKE_SESSION];

/// Somewhere that the caller is signed in.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Session {
    pub id: Uuid,
    pub created_at: Timestamp,
    /// When its tokens were refreshed last.
    pub last_seen_at: Timestamp,
    /// When it ends unless it is refreshed before.
    pub expires_at: Timestamp,
    /// The address it was opened from, cut to /24 or /48.
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    /// Whether this request is made with it.
    pub is_current: bool,
}

/// The caller's sessions.
pub static MY_SESSIONS: Operation<SignedIn> = Operation::first_party("mySessions", Grants::Nothing);

/// Lists the caller's sessions that have not ended, the one seen last first.
///
/// # Errors
/// As the rule.
pub async fn my_sessions(cx: &Cx) -> Result<Vec<Session>> {
    let person = cx.authorize(&MY_SESSIONS).await?;
    let now = cx.state().clock.now();
    let rows = db::list(&mut *person.db().await?, person.user, now).await?;
    Ok(rows.into_iter().map(|row| row.shown_to(current(cx))).collect())
}

/// Ends every session of the caller but the one that asks.
pub static REVOKE_OTHER_SESSIONS: Operation<SignedIn> =
    Operation::first_party("revokeOtherSessions", Grants::Credentials);

/// Ends every session of the caller but the one that asks; with an API key, but the one that made the key (E, 1). They
/// stop at once, in every process and on every socket.
///
/// # Errors
/// As the rule.
pub async fn revoke_other_sessions(cx: &Cx) -> Result<()> {
    let person = cx.authorize(&REVOKE_OTHER_SESSIONS).await?;
    let ended = person
        .db()
        .await?
        .transaction(async |connection| {
            let now = cx.state().clock.now();
            let spared = spared(cx, connection).await?;
            let ended = db::revoke_others(connection, person.user, spared, now).await?;
            if !ended.is_empty() {
                let metadata = json!({ "reason": Reason::Others, "sessions": ended });
                record(cx, connection, cx.actor(), None, metadata).await?;
                tell(connection, person.user, &ended, now).await?;
            }
            Ok::<_, ApiError>(ended)
        })
        .await?;
    for session in ended {
        announce_end(cx, session).await;
    }
    Ok(())
}

/// Ends one of the caller's sessions.
pub static REVOKE_SESSION: Operation<SignedIn> = Operation::first_party("revokeSession", Grants::Credentials);

/// Ends one of the caller's sessions: it stops at once, in every process and on every socket.
///
/// # Errors
/// As the rule; 403 when an API key is to end the session that made it; 404 when the caller has no such session.
pub async fn revoke_session(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let person = cx.authorize(&REVOKE_SESSION).await?;
    let id = id?;
    let mut connection = person.db().await?;
    if let Principal::PersonalKey { .. } = cx.principal() {
        let spared = spared(cx, &mut connection).await?;
        if db::is_spared(&mut connection, person.user, id, spared).await? {
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

/// What the caller does not end together with the others: the session that asks, or the one that made the key.
async fn spared(cx: &Cx, connection: &mut AsyncPgConnection) -> Result<db::Spared> {
    match cx.principal() {
        Principal::Session { session, .. } => Ok(db::Spared::Only(*session)),
        Principal::PersonalKey { id, .. } => db::makers_of(connection, *id).await,
        _ => Err(ApiError::internal("a first-party rule admitted another credential")),
    }
}
