//! How sessions end, whoever ends them (specification A §4.3; C §2.1, §11.5; E, 1).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::{Value, json};
use shared::{
    audit::{self, Actor},
    db::schema::sessions,
    events::{Channel, Event},
    id::UserId,
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};
use uuid::Uuid;

use crate::{Cx, Result, access::Principal};

/// Why a session ends, as the audit trail tells it.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Logout,
    /// One of its refresh tokens came a second time.
    Replay,
    Revoked,
    /// It was not the one that asked for the end of the others.
    Others,
    /// The login that it was opened through was removed.
    LoginRemoved,
}

/// Ends the sessions that were opened through a login, in the transaction that removes it. One of which nobody noted
/// what it was opened through may be such a session: it ends too, unless it is the one that asks. Answers what ended,
/// for [`announce_end`] after the commit.
///
/// # Errors
/// When the database fails.
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
        tell(connection, user, &ended, now).await?;
    }
    Ok(ended)
}

/// The session that asks, if a session asks.
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

/// Writes the end of a session, or of those that `metadata` lists, into the audit trail.
///
/// # Errors
/// When the database fails.
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

/// Writes `session:revoked` (C §11.5) for after the commit.
///
/// # Errors
/// When the database fails.
pub async fn tell(
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
