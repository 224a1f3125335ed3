//! Queries over `stream_shared_links`. Each carries the account.

use api_core::{Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::{stream_sessions, stream_shared_links as links},
};
use uuid::Uuid;

use super::{MAX_ACTIVE, MAX_LINKS, SharedLink, SharedLinkStatus};

/// Link to store.
#[derive(Insertable)]
#[diesel(table_name = links)]
pub(super) struct NewLink<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub report_id: Uuid,
    pub created_by: Option<UserId>,
    pub token_hash: Vec<u8>,
    pub password_hash: Option<&'a str>,
    pub allow_export: bool,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// Stored link without its token.
#[derive(Queryable, Selectable)]
#[diesel(table_name = links)]
pub(super) struct Row {
    pub id: Uuid,
    pub report_id: Uuid,
    pub created_by: Option<Uuid>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
    pub password_hash: Option<String>,
    pub allow_export: bool,
    pub view_count: i64,
    pub last_viewed_at: Option<Timestamp>,
}

/// Lists the links of a report, newest first. `None` when the account has no such report.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    report: Uuid,
) -> Result<Option<Vec<Row>>> {
    let found: Vec<Option<Row>> = stream_sessions::table
        .left_join(
            links::table.on(links::report_id.eq(stream_sessions::id).and(links::account_id.eq(account))),
        )
        .filter(stream_sessions::account_id.eq(account).and(stream_sessions::id.eq(report)))
        .order((links::created_at.desc(), links::id.desc()))
        .limit(MAX_LINKS)
        .select(Option::<Row>::as_select())
        .load(connection)
        .await?;
    if found.is_empty() {
        return Ok(None);
    }
    Ok(Some(found.into_iter().flatten().collect()))
}

/// Number of links of a report that are active.
pub(super) async fn count_active(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    report: Uuid,
    now: DateTime<Utc>,
) -> Result<i64> {
    Ok(links::table
        .filter(links::account_id.eq(account).and(links::report_id.eq(report)))
        .filter(links::revoked_at.is_null().and(links::expires_at.gt(now)))
        .count()
        .get_result(connection)
        .await?)
}

/// Deletes links of a report that have ended, beyond the newest ones: with those that are active and a new one
/// there are at most [`MAX_LINKS`].
pub(super) async fn delete_oldest_ended(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    report: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let ended = links::table
        .filter(links::account_id.eq(account).and(links::report_id.eq(report)))
        .filter(links::revoked_at.is_not_null().or(links::expires_at.le(now)))
        .order((links::created_at.desc(), links::id.desc()))
        .offset(MAX_LINKS - MAX_ACTIVE)
        .select(links::id);
    let ended: Vec<Uuid> = ended.load(connection).await?;
    delete(links::table.filter(links::account_id.eq(account).and(links::id.eq_any(ended))))
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores a link.
pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewLink<'_>) -> Result<Row> {
    Ok(insert_into(links::table).values(new).returning(Row::as_returning()).get_result(connection).await?)
}

/// Finds a link.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Row>> {
    Ok(links::table
        .filter(links::account_id.eq(account).and(links::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Locks a link until the transaction ends.
pub(super) async fn lock(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Row>> {
    Ok(links::table
        .filter(links::account_id.eq(account).and(links::id.eq(id)))
        .select(Row::as_select())
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?)
}

/// Sets the end of a locked link.
pub(super) async fn extend(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    expires_at: DateTime<Utc>,
) -> Result<Row> {
    Ok(update(links::table.filter(links::account_id.eq(account).and(links::id.eq(id))))
        .set(links::expires_at.eq(expires_at))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?)
}

/// Revokes a locked link.
pub(super) async fn revoke(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<Row> {
    Ok(update(links::table.filter(links::account_id.eq(account).and(links::id.eq(id))))
        .set(links::revoked_at.eq(now))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?)
}

impl Row {
    /// State at a time.
    pub fn status(&self, now: DateTime<Utc>) -> SharedLinkStatus {
        if self.revoked_at.is_some() {
            SharedLinkStatus::Revoked
        } else if *self.expires_at <= now {
            SharedLinkStatus::Expired
        } else {
            SharedLinkStatus::Active
        }
    }

    /// Link as it is returned.
    pub fn into_link(self, now: DateTime<Utc>) -> SharedLink {
        SharedLink {
            id: self.id,
            report_id: self.report_id,
            created_by: self.created_by,
            created_at: self.created_at,
            expires_at: self.expires_at,
            has_password: self.password_hash.is_some(),
            allow_export: self.allow_export,
            view_count: Int64(self.view_count),
            last_viewed_at: self.last_viewed_at,
            status: self.status(now),
        }
    }
}
