//! Queries over `sessions`. Each one carries the person.

use api_core::{ApiError, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{sessions, user_api_keys},
};
use uuid::Uuid;

use super::Session;

/// Maximum number of sessions in the list. Ending all others also ends those beyond it.
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

/// Sessions of the person that have not ended.
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

/// Ends a session. Returns true when it was open.
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

/// Sessions that a call does not end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Excluded {
    Only(Uuid),
    /// Those opened until this time: one of them made the key, and it is unknown which.
    OpenedUntil(DateTime<Utc>),
}

/// Session that made a key, or those among which it is.
pub(super) async fn makers_of(connection: &mut AsyncPgConnection, key: Uuid) -> Result<Excluded> {
    let maker = user_api_keys::table
        .find(key)
        .select((user_api_keys::created_by_session, user_api_keys::created_at))
        .first::<(Option<Uuid>, DateTime<Utc>)>(connection)
        .await
        .optional()?;
    match maker {
        Some((Some(session), _)) => Ok(Excluded::Only(session)),
        Some((None, made_at)) => Ok(Excluded::OpenedUntil(made_at)),
        // The key was revoked a moment ago.
        None => Err(ApiError::unauthorized("Invalid or expired token")),
    }
}

/// True when a session of the person is spared.
pub(super) async fn is_excluded(
    connection: &mut AsyncPgConnection,
    user: UserId,
    session: Uuid,
    excluded: Excluded,
) -> Result<bool> {
    let opened_at: Option<DateTime<Utc>> = sessions::table
        .find(session)
        .filter(sessions::user_id.eq(user))
        .select(sessions::created_at)
        .first(connection)
        .await
        .optional()?;
    Ok(opened_at.is_some_and(|opened_at| match excluded {
        Excluded::Only(only) => only == session,
        Excluded::OpenedUntil(time) => opened_at <= time,
    }))
}

/// Ends every open session that is not spared and returns their ids.
pub(super) async fn revoke_others(
    connection: &mut AsyncPgConnection,
    user: UserId,
    excluded: Excluded,
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    let (only, until) = match excluded {
        Excluded::Only(session) => (Some(session), DateTime::UNIX_EPOCH),
        Excluded::OpenedUntil(time) => (None, time),
    };
    let open = sessions::table
        .filter(sessions::user_id.eq(user))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .filter(sessions::id.nullable().is_distinct_from(only))
        .filter(sessions::created_at.gt(until));
    Ok(update(open).set(sessions::revoked_at.eq(now)).returning(sessions::id).get_results(connection).await?)
}
