//! Queries over `sessions`: each carries whose.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{db::schema::sessions, id::UserId};
use uuid::Uuid;

use super::Session;

/// Sessions that are listed. All the others end with them.
const LONGEST_LIST: i64 = 500;

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
        .limit(LONGEST_LIST)
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

/// The sessions that were ended: every open one but `kept`.
pub(super) async fn revoke_others(
    connection: &mut AsyncPgConnection,
    user: UserId,
    kept: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    let open = sessions::table
        .filter(sessions::user_id.eq(user))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .filter(sessions::id.nullable().is_distinct_from(kept));
    Ok(update(open).set(sessions::revoked_at.eq(now)).returning(sessions::id).get_results(connection).await?)
}
