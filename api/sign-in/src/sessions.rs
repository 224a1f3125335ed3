//! Ends of sessions (reference/credentials.md#ends-of-sessions).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    audit::{self, Actor},
    events::{Channel, Event},
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};
use serde::Serialize;
use serde_json::{Value, json};
use shared::{id::UserId, schema::sessions};
use uuid::Uuid;

use api_core::{Cx, Result, access::Principal};

/// Reason why a session ended, in the audit trail.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Its person logged out.
    Logout,
    /// One of its refresh tokens was used a second time.
    Replay,
    /// Its person revoked it.
    Revoked,
    /// Another session of its person ended all others.
    Others,
    /// The login that it was opened through was removed.
    LoginRemoved,
}

/// Ends the sessions that were opened through a login, in the transaction that removes it. A session without
/// a known login may be such a session: it ends too, unless it makes the request. Returns the ended sessions,
/// for [`announce_end`] after the commit.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn end_of_login(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    login: Uuid,
) -> Result<Vec<Uuid>> {
    let now = cx.state().clock.now();
    let unknown =
        sessions::login_connection_id.is_null().and(sessions::id.nullable().is_distinct_from(current(cx)));
    let opened = sessions::table
        .filter(sessions::user_id.eq(user))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .filter(sessions::login_connection_id.is_not_distinct_from(login).or(unknown));
    let ended: Vec<Uuid> = diesel::update(opened)
        .set(sessions::revoked_at.eq(now))
        .returning(sessions::id)
        .get_results(connection)
        .await?;
    if !ended.is_empty() {
        let metadata = json!({ "reason": Reason::LoginRemoved, "sessions": ended });
        record(cx, connection, cx.actor(), None, metadata).await?;
        publish_revoked(connection, user, &ended, now).await?;
    }
    Ok(ended)
}

/// Session of the request; `None` for another credential.
#[must_use]
pub fn current(cx: &Cx) -> Option<Uuid> {
    match cx.principal() {
        Principal::Session { session, .. } => Some(*session),
        _ => None,
    }
}

/// Stops the session's tokens in every process.
pub async fn announce_end(cx: &Cx, session: Uuid) {
    cx.changed(Invalidation::Session { id: session }).await;
}

/// Writes the end of a session, or of those that `metadata` lists, to the audit trail.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    actor: Actor,
    session: Option<Uuid>,
    metadata: Value,
) -> Result<()> {
    let entry = audit::Entry {
        scope: audit::Scope::User,
        actor,
        resource_id: session.map(|id| id.to_string()),
        metadata,
        ..cx.audit("session:revoked", "session", "")
    };
    Ok(audit::record(connection, entry).await?)
}

/// Adds `session:revoked`, published after the commit (reference/credentials.md#ends-of-sessions).
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn publish_revoked(
    connection: &mut AsyncPgConnection,
    user: UserId,
    sessions: &[Uuid],
    now: DateTime<Utc>,
) -> Result<()> {
    let jobs: Vec<(PublishEvent, String)> = sessions
        .iter()
        .map(|session| {
            let data = json!({ "session_id": session });
            let event = Event::new(Channel::User(user.0), "session:revoked", data, now);
            (PublishEvent { event }, format!("session_revoked:{session}"))
        })
        .collect();
    Ok(outbox::add_each(connection, &jobs).await?)
}
