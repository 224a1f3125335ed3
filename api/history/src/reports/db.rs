//! Queries over the sessions of reports. Each carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Jsonb, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use history_model::{report::SessionRow, sessions::MAX_SESSION};
use serde_json::Value;
use shared::{id::AccountId, schema::stream_sessions};
use uuid::Uuid;

use crate::sessions::{COLUMNS, Row};

/// Minutes of a session.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// Account.
    pub account: AccountId,
    /// Session.
    pub session: Uuid,
    /// First minute.
    pub from: DateTime<Utc>,
    /// Minute after the last one.
    pub to: DateTime<Utc>,
}

/// Session of a report.
pub(super) struct Session {
    pub row: SessionRow,
    pub span: Span,
}

/// Session of a locked row.
#[derive(Queryable)]
pub(crate) struct Locked {
    /// Start.
    pub started_at: Timestamp,
    /// Newest title.
    pub title: Option<String>,
    /// True until the session is closed.
    pub is_live: bool,
}

#[derive(QueryableByName)]
struct SessionColumns {
    // A field of the name `row` would shadow the row that the derived code reads.
    #[diesel(embed)]
    head: Row,
    #[diesel(sql_type = Timestamptz)]
    minutes_from: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    minutes_to: Option<DateTime<Utc>>,
}

#[derive(QueryableByName)]
struct ReportColumns {
    #[diesel(embed)]
    session: SessionColumns,
    #[diesel(sql_type = Nullable<Jsonb>)]
    report: Option<Value>,
}

/// Finds a session of the account.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Session>> {
    let sql = format!(
        "SELECT {COLUMNS}, minutes_from, minutes_to FROM stream_sessions WHERE account_id = $1 AND id = $2"
    );
    let found: Option<SessionColumns> = sql_query(sql)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<SqlUuid, _>(id)
        .prepared()
        .get_result(connection)
        .await
        .optional()?;
    Ok(found.map(|columns| columns.into_session(account)))
}

/// Finds a session of the account with its stored report, if it was made.
pub(super) async fn find_with_report(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<(Session, Option<Value>)>> {
    let sql = format!(
        "SELECT {COLUMNS}, minutes_from, minutes_to, report FROM stream_sessions
        WHERE account_id = $1 AND id = $2"
    );
    let found: Option<ReportColumns> = sql_query(sql)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<SqlUuid, _>(id)
        .prepared()
        .get_result(connection)
        .await
        .optional()?;
    Ok(found.map(|columns| (columns.session.into_session(account), columns.report)))
}

/// True when the account has this session.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn exists(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<bool> {
    let own = stream_sessions::account_id.eq(account).and(stream_sessions::id.eq(id));
    let found: Option<Uuid> =
        stream_sessions::table.filter(own).select(stream_sessions::id).first(connection).await.optional()?;
    Ok(found.is_some())
}

/// Locks a session of the account until the transaction ends. `None` when there is none.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn lock(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Locked>> {
    let own = stream_sessions::account_id.eq(account).and(stream_sessions::id.eq(id));
    Ok(stream_sessions::table
        .filter(own)
        .select((stream_sessions::started_at, stream_sessions::title, stream_sessions::ended_at.is_null()))
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?)
}

impl SessionColumns {
    fn into_session(self, account: AccountId) -> Session {
        let (row, from) = (SessionRow::from(self.head), self.minutes_from);
        // A session that is live has none after the present minute.
        let to = self.minutes_to.unwrap_or(from + MAX_SESSION);
        Session { span: Span { account, session: row.id, from, to }, row }
    }
}
