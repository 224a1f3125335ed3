//! Queries over connected channels. Each is limited to an account, or to the accounts of a person.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use connection_access::ChannelConnection;
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::{
    id::{AccountId, UserId},
    schema::{channel_connections, login_assignments, login_connections},
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Upper bound of the lists. An account has one connection for each platform, a person a few logins.
const MAX_ROWS: i64 = 500;

/// Kind of a flagged connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlaggedConnectionKind {
    /// Login of the person.
    Login,
    /// Channel of an account.
    Channel,
}

/// Connection that must be made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct FlaggedConnection {
    /// Kind of the connection.
    pub kind: FlaggedConnectionKind,
    /// Identifier of the connection.
    pub id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// Identifier of the account. Null for logins, which belong to a person.
    pub account_id: Option<Uuid>,
    /// Time of the flag.
    pub flagged_at: Timestamp,
}

/// Owner of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner {
    /// Account of the connection.
    pub account: AccountId,
    /// Person who connected it; `None` for a key or a deleted person.
    pub connected_by: Option<UserId>,
}

/// State of a connected channel.
#[derive(Queryable)]
pub(super) struct ChannelState {
    /// Slug of the platform.
    pub platform: String,
    /// True when the channel must be connected again.
    pub reconnect_required: bool,
    /// Expiry of the access token; `None`: never.
    pub expires_at: Option<Timestamp>,
}

/// Reader of flagged channels and the reach of the credential.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// Person who reads.
    pub user: UserId,
    /// Account of a scoped key; `None`: every account of the person.
    pub only_in: Option<AccountId>,
    /// True when the credential carries the right to connect channels at all.
    pub may_connect: bool,
}

pub(super) async fn states(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<ChannelState>> {
    Ok(channel_connections::table
        .filter(channel_connections::account_id.eq(account))
        .limit(MAX_ROWS)
        .select((
            channel_connections::platform,
            channel_connections::reconnect_required,
            channel_connections::expires_at,
        ))
        .load(connection)
        .await?)
}

/// Login of a person, seen from an account.
#[derive(Queryable)]
pub(super) struct Login {
    /// Slug of the platform.
    pub platform: String,
    /// True when the person must sign in again.
    pub reconnect_required: bool,
    /// True when the login is assigned to the account.
    pub is_assigned: bool,
}

/// Lists the logins of a person.
pub(super) async fn logins(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Vec<Login>> {
    Ok(login_connections::table
        .left_join(
            login_assignments::table.on(login_assignments::login_connection_id
                .eq(login_connections::id)
                .and(login_assignments::user_id.eq(login_connections::user_id))
                .and(login_assignments::account_id.eq(account))),
        )
        .filter(login_connections::user_id.eq(user))
        .limit(MAX_ROWS)
        .select((
            login_connections::platform,
            login_connections::reconnect_required,
            login_assignments::id.nullable().is_not_null(),
        ))
        .load(connection)
        .await?)
}

/// Returns the account of a connection and the person who made it.
pub(super) async fn owner(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<Owner>> {
    let found: Option<(AccountId, Option<UserId>)> = channel_connections::table
        .filter(channel_connections::id.eq(id))
        .select((channel_connections::account_id, channel_connections::connected_by))
        .first(connection)
        .await
        .optional()?;
    Ok(found.map(|(account, connected_by)| Owner { account, connected_by }))
}

pub(super) async fn set_flag(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    flag: bool,
    now: DateTime<Utc>,
) -> Result<Option<ChannelConnection>> {
    let own = channel_connections::table
        .filter(channel_connections::id.eq(id).and(channel_connections::account_id.eq(account)));
    Ok(diesel::update(own)
        .set((
            channel_connections::reconnect_required.eq(flag),
            channel_connections::flagged_at.eq(flag.then_some(now)),
            channel_connections::updated_at.eq(now),
        ))
        .returning(ChannelConnection::as_returning())
        .get_result(connection)
        .await
        .optional()?)
}

/// Lists the flagged logins of a person.
pub(super) async fn flagged_logins(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Vec<FlaggedConnection>> {
    type Row = (Uuid, String, Option<Timestamp>, Timestamp);
    let rows: Vec<Row> = login_connections::table
        .filter(login_connections::user_id.eq(user).and(login_connections::reconnect_required))
        .order(login_connections::platform)
        .limit(MAX_ROWS)
        .select((
            login_connections::id,
            login_connections::platform,
            login_connections::flagged_at,
            login_connections::updated_at,
        ))
        .load(connection)
        .await?;
    let flagged = |(id, platform, flagged_at, updated_at): Row| FlaggedConnection {
        kind: FlaggedConnectionKind::Login,
        id,
        platform,
        account_id: None,
        flagged_at: flagged_at.unwrap_or(updated_at),
    };
    Ok(rows.into_iter().map(flagged).collect())
}

#[derive(QueryableByName)]
struct FlaggedChannel {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Timestamptz)]
    flagged_at: Timestamp,
}

/// Lists the flagged channels that a person connected or may connect, in the accounts of the person. The role
/// decides, with the grants and denials of the account's overrides
/// (reference/permissions.md#account-permissions).
pub(super) async fn flagged_channels(
    connection: &mut AsyncPgConnection,
    view: View,
) -> Result<Vec<FlaggedConnection>> {
    let sql = "
        SELECT c.id, c.platform, c.account_id, coalesce(c.flagged_at, c.updated_at) AS flagged_at
        FROM channel_connections c
        JOIN memberships m ON m.account_id = c.account_id AND m.user_id = $1
        JOIN account_roles r ON r.account_id = m.account_id AND r.id = m.role_id
        LEFT JOIN account_permission_overrides o
            ON o.account_id = c.account_id AND o.permission = 'connections:create'
        WHERE c.reconnect_required
            AND ($2 IS NULL OR c.account_id = $2)
            AND (c.connected_by = $1 OR ($3 AND coalesce(o.granted, 'connections:create' = ANY (r.permissions))))
        ORDER BY c.account_id, c.platform
        LIMIT 500";
    let rows: Vec<FlaggedChannel> = sql_query(sql)
        .bind::<SqlUuid, _>(view.user)
        .bind::<Nullable<SqlUuid>, _>(view.only_in)
        .bind::<Bool, _>(view.may_connect)
        .load(connection)
        .await?;
    let flagged = |row: FlaggedChannel| FlaggedConnection {
        kind: FlaggedConnectionKind::Channel,
        id: row.id,
        platform: row.platform,
        account_id: Some(row.account_id),
        flagged_at: row.flagged_at,
    };
    Ok(rows.into_iter().map(flagged).collect())
}
