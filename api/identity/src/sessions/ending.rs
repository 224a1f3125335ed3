//! How a session ends, whoever ends it.

use api_core::{Cx, Result};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use serde::Serialize;
use serde_json::{Value, json};
use shared::{
    audit::{self, Actor},
    events::{Channel, Event},
    id::UserId,
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};
use uuid::Uuid;

use super::db;

/// Why a session ends, as the audit trail tells it.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    Logout,
    /// One of its refresh tokens came a second time.
    Replay,
    Revoked,
    /// It was not the one that asked for the end of the others.
    Others,
}

/// Ends a session and tells its person's sockets. Whether there was one to end. Call [`announce_end`] afterwards.
pub(crate) async fn end(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    session: Uuid,
    actor: Actor,
    reason: Reason,
) -> Result<bool> {
    let now = cx.state().clock.now();
    connection
        .transaction(async |connection| {
            if !db::revoke(connection, user, session, now).await? {
                return Ok(false);
            }
            record(cx, connection, actor, Some(session), json!({ "reason": reason })).await?;
            tell(connection, user, &[session], now).await?;
            Ok(true)
        })
        .await
}

/// Stops the session's tokens in every process.
pub(crate) async fn announce_end(cx: &Cx, session: Uuid) {
    cx.changed(Invalidation::Session { id: session }).await;
}

pub(super) async fn record(
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
pub(super) async fn tell(
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
