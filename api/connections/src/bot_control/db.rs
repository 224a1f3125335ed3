//! Queries over the bots in channels. Those for an account are limited to it; the others are for staff and
//! for bots.

use api_core::{Result, page::Window};
use chrono::{DateTime, Utc};
use diesel::{
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    id::AccountId,
    schema::{bot_pauses, channel_connections::dsl},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::BotState;

/// Bot in a channel.
#[derive(Debug, QueryableByName)]
pub(super) struct BotChannelRow {
    /// Identifier of the account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Name of the account.
    #[diesel(sql_type = Text)]
    pub account_name: String,
    /// Slug of the platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Name of the channel.
    #[diesel(sql_type = Text)]
    pub channel_name: String,
    /// Switch of the account.
    #[diesel(sql_type = Bool)]
    pub bot_enabled: bool,
    /// True when staff paused the bot.
    #[diesel(sql_type = Bool)]
    pub is_paused_by_staff: bool,
    #[diesel(sql_type = Bool)]
    channel_works: bool,
    /// User name of the bot; `None`: no bot.
    #[diesel(sql_type = Nullable<Text>)]
    pub bot_username: Option<String>,
    #[diesel(sql_type = Bool)]
    bot_works: bool,
    #[diesel(sql_type = BigInt)]
    total: i64,
}

/// Channel in which a bot is active, with the bot's identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, QueryableByName, GraphQLObject, ToSchema)]
pub struct BotChannel {
    /// Identifier of the account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Slug of the platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Id of the channel at the platform.
    #[diesel(sql_type = Text)]
    pub platform_channel_id: String,
    /// Name of the channel.
    #[diesel(sql_type = Text)]
    pub channel_name: String,
    /// Identifier of the bot connection.
    #[diesel(sql_type = SqlUuid)]
    pub bot_connection_id: Uuid,
    /// Id of the bot's user at the platform.
    #[diesel(sql_type = Text)]
    pub bot_user_id: String,
    /// User name of the bot.
    #[diesel(sql_type = Text)]
    pub bot_username: String,
    /// True when the bot is the account's own.
    #[diesel(sql_type = Bool)]
    pub is_custom: bool,
}

impl BotChannelRow {
    /// Returns the state of the bot.
    pub fn state(&self) -> BotState {
        if !self.channel_works || !self.bot_works {
            return BotState::NoConnection;
        }
        if self.is_paused_by_staff || !self.bot_enabled { BotState::Paused } else { BotState::Active }
    }
}

/// Channels with the bot that serves them: the account's own, else the deployment's. Spotify has no bots.
const CHANNELS: &str = "
    SELECT c.account_id, a.name AS account_name, c.platform, c.channel_name, c.bot_enabled,
        p.paused_at IS NOT NULL AS is_paused_by_staff, NOT c.reconnect_required AS channel_works,
        b.bot_username, coalesce(NOT b.reconnect_required, false) AS bot_works, count(*) OVER () AS total
    FROM channel_connections c
    JOIN accounts a ON a.id = c.account_id
    LEFT JOIN bot_pauses p ON p.account_id = c.account_id AND p.platform = c.platform
    LEFT JOIN LATERAL (
        SELECT bot_username, reconnect_required FROM bot_connections
        WHERE platform = c.platform AND (account_id = c.account_id OR account_id IS NULL)
        ORDER BY account_id NULLS LAST LIMIT 1
    ) b ON true
    WHERE c.platform IN ('twitch', 'youtube', 'kick', 'trovo')";

/// Lists the account's channels, or the one on a platform.
pub(super) async fn of_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Option<&str>,
) -> Result<Vec<BotChannelRow>> {
    let sql = format!(
        "{CHANNELS} AND c.account_id = $1 AND ($2 IS NULL OR c.platform = $2) ORDER BY c.platform LIMIT 100"
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<Nullable<Text>, _>(platform)
        .load(connection)
        .await?)
}

/// Returns the channel of any account on a platform, for staff.
pub(super) async fn one(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: &str,
) -> Result<Option<BotChannelRow>> {
    Ok(of_account(connection, account, Some(platform)).await?.pop())
}

/// Returns one page of the channels of all accounts, for staff, and the total number.
pub(super) async fn of_everybody(
    connection: &mut AsyncPgConnection,
    platform: Option<&str>,
    search: Option<&str>,
    window: Window,
) -> Result<(Vec<BotChannelRow>, i64)> {
    let filter = "AND ($1 IS NULL OR c.platform = $1)
        AND ($2 IS NULL OR strpos(lower(a.name), lower($2)) > 0 OR strpos(lower(c.channel_name), lower($2)) > 0)";
    let sql = format!("{CHANNELS} {filter} ORDER BY a.name, c.account_id, c.platform LIMIT $3 OFFSET $4");
    let rows: Vec<BotChannelRow> = sql_query(sql)
        .bind::<Nullable<Text>, _>(platform)
        .bind::<Nullable<Text>, _>(search)
        .bind::<BigInt, _>(window.limit)
        .bind::<BigInt, _>(window.offset())
        .load(connection)
        .await?;
    if let Some(total) = rows.iter().map(|row| row.total).next() {
        return Ok((rows, total));
    }
    // A page beyond the end has no row that carries the total number.
    let sql = format!("{CHANNELS} {filter} ORDER BY a.name LIMIT 1");
    let first: Option<BotChannelRow> = sql_query(sql)
        .bind::<Nullable<Text>, _>(platform)
        .bind::<Nullable<Text>, _>(search)
        .get_result(connection)
        .await
        .optional()?;
    Ok((rows, first.map_or(0, |row| row.total)))
}

/// Sets the account's switch and returns the id of the connection.
pub(super) async fn switch(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: &str,
    enabled: bool,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    let own = dsl::channel_connections.filter(dsl::account_id.eq(account).and(dsl::platform.eq(platform)));
    Ok(diesel::update(own)
        .set((dsl::bot_enabled.eq(enabled), dsl::updated_at.eq(now)))
        .returning(dsl::id)
        .get_result(connection)
        .await
        .optional()?)
}

/// Sets or ends the pause by staff, which outlasts the connection, and returns the id of the connection.
pub(super) async fn pause(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    platform: &str,
    is_paused: bool,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    let channel =
        dsl::channel_connections.filter(dsl::account_id.eq(account).and(dsl::platform.eq(platform)));
    let id = channel.select(dsl::id).for_update().first(connection).await.optional()?;
    if id.is_none() {
        return Ok(None);
    }
    if is_paused {
        let pause = (
            bot_pauses::account_id.eq(account),
            bot_pauses::platform.eq(platform),
            bot_pauses::paused_at.eq(now),
        );
        insert_into(bot_pauses::table).values(pause).on_conflict_do_nothing().execute(connection).await?;
    } else {
        diesel::delete(bot_pauses::table.find((account, platform))).execute(connection).await?;
    }
    Ok(id)
}

/// Lists the channels of a platform in which a bot is active, after an account.
pub(super) async fn wanted(
    connection: &mut AsyncPgConnection,
    platform: &str,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<BotChannel>> {
    let sql = "
        SELECT c.account_id, c.platform, c.platform_channel_id, c.channel_name, b.id AS bot_connection_id,
            b.bot_user_id, b.bot_username, b.account_id IS NOT NULL AS is_custom
        FROM channel_connections c
        JOIN LATERAL (
            SELECT id, account_id, bot_user_id, bot_username, reconnect_required FROM bot_connections
            WHERE platform = c.platform AND (account_id = c.account_id OR account_id IS NULL)
            ORDER BY account_id NULLS LAST LIMIT 1
        ) b ON NOT b.reconnect_required
        WHERE c.platform = $1 AND c.bot_enabled AND NOT c.reconnect_required AND c.connected_at > 'epoch'
            AND NOT EXISTS (SELECT FROM bot_pauses p WHERE p.account_id = c.account_id AND p.platform = c.platform)
            AND ($2 IS NULL OR c.account_id > $2)
        ORDER BY c.account_id
        LIMIT $3";
    Ok(sql_query(sql)
        .bind::<Text, _>(platform)
        .bind::<Nullable<SqlUuid>, _>(after)
        .bind::<BigInt, _>(limit)
        .load(connection)
        .await?)
}
