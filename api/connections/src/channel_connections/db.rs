//! Queries over connected channels. Each carries the account, or the person whose accounts are looked at.

use api_core::{ApiError, Result, Timestamp, connections::ChannelConnection, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{channel_connections, channel_statuses, login_assignments, login_connections},
    id::{AccountId, UserId},
};
use uuid::Uuid;

use super::{
    BroadcastStatus, ChannelStatus,
    flags::{FlaggedConnection, FlaggedConnectionKind, Owner},
};

/// An account has one connection a platform, a person a few sign-ins; the lists are bounded all the same.
const MAX_ROWS: i64 = 500;

/// How a channel is connected.
#[derive(Queryable)]
pub(super) struct ChannelState {
    pub platform: String,
    pub reconnect_required: bool,
    pub expires_at: Option<Timestamp>,
}

/// Who looks at flagged channels, and how far they see.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub user: UserId,
    /// The account of a scoped key.
    pub only_in: Option<AccountId>,
    /// Whether the credential carries the right to connect channels at all.
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

/// A login of a person, looked at in an account.
#[derive(Queryable)]
pub(super) struct Login {
    pub platform: String,
    pub reconnect_required: bool,
    /// Whether they write in the account through it.
    pub is_assigned: bool,
}

/// The logins of a person.
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

/// The account of a connection and who made it.
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

/// A person's own sign-ins that have to be made again.
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

/// The flagged channels that a person connected or may connect, in the accounts that they belong to. The role decides,
/// with what the account's overrides grant and deny (A §5.2, rule 3).
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

#[derive(Queryable, Selectable)]
#[diesel(table_name = channel_statuses)]
struct Broadcast {
    broadcast_id: Option<String>,
    is_online: bool,
    broadcast_status: Option<String>,
    stream_title: Option<String>,
    category: Option<String>,
    viewer_count: Option<i64>,
    like_count: Option<i64>,
    total_views: Option<i64>,
    started_at: Option<Timestamp>,
    scheduled_start: Option<Timestamp>,
    live_chat_id: Option<String>,
    updated_at: Timestamp,
}

/// What is known of the account's channels. Music has no broadcasts.
pub(super) async fn live(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<ChannelStatus>> {
    let rows: Vec<(String, Option<Broadcast>)> = channel_connections::table
        .left_join(
            channel_statuses::table.on(channel_statuses::account_id
                .eq(channel_connections::account_id)
                .and(channel_statuses::platform.eq(channel_connections::platform))),
        )
        .filter(channel_connections::account_id.eq(account).and(channel_connections::platform.ne("spotify")))
        .order((channel_connections::platform, channel_statuses::broadcast_id))
        .limit(MAX_ROWS)
        .select((channel_connections::platform, Option::<Broadcast>::as_select()))
        .load(connection)
        .await?;
    rows.into_iter().map(|(platform, broadcast)| status(platform, broadcast)).collect()
}

fn status(platform: String, broadcast: Option<Broadcast>) -> Result<ChannelStatus> {
    let Some(known) = broadcast else {
        return Ok(ChannelStatus {
            platform,
            is_online: false,
            broadcast_id: None,
            broadcast_status: None,
            stream_title: None,
            category: None,
            viewer_count: None,
            like_count: None,
            total_views: None,
            started_at: None,
            scheduled_start: None,
            live_chat_id: None,
            updated_at: None,
        });
    };
    let broadcast_status = match known.broadcast_status.as_deref() {
        None => None,
        Some("live") => Some(BroadcastStatus::Live),
        Some("upcoming") => Some(BroadcastStatus::Upcoming),
        Some(other) => return Err(ApiError::internal(format_args!("unknown broadcast status `{other}`"))),
    };
    Ok(ChannelStatus {
        platform,
        is_online: known.is_online,
        broadcast_id: known.broadcast_id,
        broadcast_status,
        stream_title: known.stream_title,
        category: known.category,
        viewer_count: known.viewer_count.map(Int64),
        like_count: known.like_count.map(Int64),
        total_views: known.total_views.map(Int64),
        started_at: known.started_at,
        scheduled_start: known.scheduled_start,
        live_chat_id: known.live_chat_id,
        updated_at: Some(known.updated_at),
    })
}
