//! Queries over `sessions`: each carries whose.

use api_core::{ApiError, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{sessions, user_api_keys},
    id::UserId,
};
use uuid::Uuid;

use super::Session;

/// Sessions that are listed. All the others end with them.
const MAX_ROWS: i64 = 500;

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub(super) struct Row {
    id: Uuid,
    created_at: Timestamp,
    last_seen_at: Timestamp,
    expires_at: Timestamp,
    ip: Option<String>,
    user_agent: Option<String>,
}

impl Row {
    pub(super) fn shown_to(self, current: Option<Uuid>) -> Session {
        Session {
            is_current: current == Some(self.id),
            id: self.id,
            created_at: self.created_at,
            last_seen_at: self.last_seen_at,
            expires_at: self.expires_at,
            ip: self.ip,
            user_agent: self.user_agent,
        }
    }
}

/// The person's sessions that have not ended.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Vec<Row>> {
    Ok(sessions::table
        .filter(sessions::user_id.eq(user))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .order((sessions::last_seen_at.desc(), sessions::id.desc()))
        .limit(MAX_ROWS)
        .select(Row::as_select())
        .load(connection)
        .await?)
}

/// Whether there was a session that had not ended.
pub(super) async fn revoke(
    connection: &mut AsyncPgConnection,
    user: UserId,
    session: Uuid,
    now: DateTime<Utc>,
) -> Result<bool> {
    let open = sessions::table
        .find(session)
        .filter(sessions::user_id.eq(user))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now));
    Ok(update(open).set(sessions::revoked_at.eq(now)).execute(connection).await? > 0)
}

/// Sessions that are not ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spared {
    Only(Uuid),
    /// Those that were open at a time: one of them made the key, and nobody noted which.
    OpenedUntil(DateTime<Utc>),
}

/// The session that made a key, or those among which it is.
pub(super) async fn makers_of(connection: &mut AsyncPgConnection, key: Uuid) -> Result<Spared> {
    let maker = user_api_keys::table
        .find(key)
        .select((user_api_keys::created_by_session, user_api_keys::created_at))
        .first::<(Option<Uuid>, DateTime<Utc>)>(connection)
        .await
        .optional()?;
    match maker {
        Some((Some(session), _)) => Ok(Spared::Only(session)),
        Some((None, made_at)) => Ok(Spared::OpenedUntil(made_at)),
        // Revoked a moment ago.
        None => Err(ApiError::unauthorized("Invalid or expired token")),
    }
}

/// Whether a session of the person is spared.
pub(super) async fn is_spared(
    connection: &mut AsyncPgConnection,
    user: UserId,
    session: Uuid,
    spared: Spared,
) -> Result<bool> {
    let opened_at: Option<DateTime<Utc>> = sessions::table
        .find(session)
        .filter(sessions::user_id.eq(user))
        .select(sessions::created_at)
        .first(connection)
        .await
        .optional()?;
    Ok(opened_at.is_some_and(|opened_at| match spared {
        Spared::Only(only) => only == session,
        Spared::OpenedUntil(time) => opened_at <= time,
    }))
}

/// The sessions that were ended: every open one that is not spared.
pub(super) async fn revoke_others(
    connection: &mut AsyncPgConnection,
    user: UserId,
    spared: Spared,
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    let (only, until) = match spared {
        Spared::Only(session) => (Some(session), DateTime::UNIX_EPOCH),
        Spared::OpenedUntil(time) => (None, time),
    };
    let open = sessions::table
        .filter(sessions::user_id.eq(user))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .filter(sessions::id.nullable().is_distinct_from(only))
        .filter(sessions::created_at.gt(until));
    Ok(update(open).set(sessions::revoked_at.eq(now)).returning(sessions::id).get_results(connection).await?)
}
