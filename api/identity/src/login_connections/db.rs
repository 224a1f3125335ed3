//! Queries over `login_connections`.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{dsl::AsSelect, pg::Pg, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{accounts, login_connections, unconfirmed_logins},
};
use uuid::Uuid;

use super::LoginConnection;

/// Maximum number of listed logins. No person has as many; the query is bounded nevertheless.
const MAX_ROWS: i64 = 500;

#[derive(Queryable, Selectable)]
#[diesel(table_name = login_connections)]
struct Row {
    id: Uuid,
    platform: String,
    provider_user_id: String,
    username: String,
    display_name: String,
    avatar_url: Option<String>,
    reconnect_required: bool,
    created_at: Timestamp,
}

/// A login that waits for its confirmation.
#[derive(Queryable, Selectable)]
#[diesel(table_name = unconfirmed_logins)]
struct Unconfirmed {
    id: Uuid,
    platform: String,
    provider_user_id: String,
    username: String,
    display_name: String,
    avatar_url: Option<String>,
    created_at: Timestamp,
}

/// Columns of a login connection whose row is locked until the transaction ends.
#[derive(Queryable, Selectable)]
#[diesel(table_name = login_connections)]
pub(crate) struct Locked {
    pub platform: String,
    pub reconnect_required: bool,
}

/// Login connections of a person, oldest first, each with the accounts that it is the primary connection of.
pub(crate) async fn list(connection: &mut AsyncPgConnection, user: UserId) -> Result<Vec<LoginConnection>> {
    let rows = with_primaries()
        .filter(login_connections::user_id.eq(user))
        .order((login_connections::created_at.asc(), login_connections::id.asc(), accounts::id.asc()))
        .limit(MAX_ROWS)
        .load(connection)
        .await?;
    Ok(grouped(rows))
}

/// Login connection of any person.
pub(crate) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<LoginConnection>> {
    let rows = with_primaries()
        .filter(login_connections::id.eq(id))
        .order(accounts::id.asc())
        .limit(MAX_ROWS)
        .load(connection)
        .await?;
    Ok(grouped(rows).pop())
}

/// Unconfirmed logins of a person that were linked after a time, oldest first.
pub(crate) async fn list_unconfirmed(
    connection: &mut AsyncPgConnection,
    user: UserId,
    since: DateTime<Utc>,
) -> Result<Vec<LoginConnection>> {
    let rows: Vec<Unconfirmed> = unconfirmed_logins::table
        .filter(unconfirmed_logins::user_id.eq(user).and(unconfirmed_logins::created_at.gt(since)))
        .order((unconfirmed_logins::created_at.asc(), unconfirmed_logins::id.asc()))
        .limit(MAX_ROWS)
        .select(Unconfirmed::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(LoginConnection::from).collect())
}

/// Unconfirmed login of any person.
pub(crate) async fn find_unconfirmed(
    connection: &mut AsyncPgConnection,
    id: Uuid,
) -> Result<Option<LoginConnection>> {
    let row = unconfirmed_logins::table.find(id).select(Unconfirmed::as_select());
    Ok(row.first(connection).await.optional()?.map(LoginConnection::from))
}

/// Locks a login connection of `owner`, or of any person without one.
pub(super) async fn lock(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    owner: Option<UserId>,
) -> Result<Option<Locked>> {
    let any = login_connections::table.find(id).select(Locked::as_select());
    let found = match owner {
        Some(owner) => any.filter(login_connections::user_id.eq(owner)).for_update().first(connection).await,
        None => any.for_update().first(connection).await,
    };
    Ok(found.optional()?)
}

pub(super) async fn set_reconnect_flag(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    is_required: bool,
    now: DateTime<Utc>,
) -> Result<()> {
    update(login_connections::table.find(id))
        .set((
            login_connections::reconnect_required.eq(is_required),
            login_connections::flagged_at.eq(is_required.then_some(now)),
            login_connections::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// One row for each account that a connection is the primary one of, or one row without an account.
#[diesel::dsl::auto_type(no_type_alias)]
fn with_primaries() -> _ {
    let row: AsSelect<Row, Pg> = Row::as_select();
    login_connections::table
        .left_join(
            accounts::table.on(accounts::primary_login_connection_id.eq(login_connections::id.nullable())),
        )
        .select((row, accounts::id.nullable()))
}

fn grouped(rows: Vec<(Row, Option<Uuid>)>) -> Vec<LoginConnection> {
    let mut found: Vec<LoginConnection> = Vec::new();
    for (row, account) in rows {
        if found.last().is_none_or(|last| last.id != row.id) {
            found.push(row.into());
        }
        if let Some(last) = found.last_mut() {
            last.is_primary_for.extend(account);
        }
    }
    found
}

impl From<Row> for LoginConnection {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            provider: row.platform,
            provider_user_id: row.provider_user_id,
            username: row.username,
            display_name: row.display_name,
            avatar_url: row.avatar_url,
            reconnect_required: row.reconnect_required,
            is_primary_for: Vec::new(),
            confirmed: true,
            created_at: row.created_at,
        }
    }
}

impl From<Unconfirmed> for LoginConnection {
    fn from(row: Unconfirmed) -> Self {
        Self {
            id: row.id,
            provider: row.platform,
            provider_user_id: row.provider_user_id,
            username: row.username,
            display_name: row.display_name,
            avatar_url: row.avatar_url,
            reconnect_required: false,
            is_primary_for: Vec::new(),
            confirmed: false,
            created_at: row.created_at,
        }
    }
}
