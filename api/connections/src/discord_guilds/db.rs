//! Queries over linked Discord servers. Those for an account carry it; the others are for staff.

use std::collections::HashMap;

use api_core::{ApiError, Result, Timestamp, page::Window};
use diesel::{dsl::count_star, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{accounts, discord_guild_channels, discord_guilds},
    id::AccountId,
};
use uuid::Uuid;

use super::{DiscordFeature, DiscordGuild, DiscordGuildChannel, LinkedDiscordGuild};

/// An account has a few servers; the list is bounded all the same.
const MAX_ROWS: i64 = 500;

/// A server without its channels.
#[derive(Queryable, Selectable)]
#[diesel(table_name = discord_guilds)]
pub(crate) struct DiscordGuildRow {
    pub id: Uuid,
    guild_id: String,
    name: String,
    icon_url: Option<String>,
    connected_at: Timestamp,
    connected_by: Option<Uuid>,
}

/// A server with its channels.
pub(crate) async fn with_channels(
    connection: &mut AsyncPgConnection,
    row: DiscordGuildRow,
) -> Result<DiscordGuild> {
    let mut guilds = complete(connection, vec![row]).await?;
    guilds.pop().ok_or_else(|| ApiError::internal("a server was lost"))
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<DiscordGuild>> {
    let rows: Vec<DiscordGuildRow> = discord_guilds::table
        .filter(discord_guilds::account_id.eq(account))
        .order((discord_guilds::connected_at, discord_guilds::id))
        .limit(MAX_ROWS)
        .select(DiscordGuildRow::as_select())
        .load(connection)
        .await?;
    complete(connection, rows).await
}

/// One statement for the channels of all servers.
async fn complete(
    connection: &mut AsyncPgConnection,
    rows: Vec<DiscordGuildRow>,
) -> Result<Vec<DiscordGuild>> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let channels: Vec<(Uuid, String, String)> = discord_guild_channels::table
        .filter(discord_guild_channels::discord_guild_id.eq_any(ids))
        .order((discord_guild_channels::discord_guild_id, discord_guild_channels::feature))
        .load(connection)
        .await?;
    let mut by_guild: HashMap<Uuid, Vec<DiscordGuildChannel>> = HashMap::new();
    for (guild, feature, channel_id) in channels {
        let feature = feature_of(&feature)?;
        by_guild.entry(guild).or_default().push(DiscordGuildChannel { feature, channel_id });
    }
    let guild = |row: DiscordGuildRow| DiscordGuild {
        channels: by_guild.remove(&row.id).unwrap_or_default(),
        id: row.id,
        guild_id: row.guild_id,
        name: row.name,
        icon_url: row.icon_url,
        connected_at: row.connected_at,
        connected_by: row.connected_by,
    };
    Ok(rows.into_iter().map(guild).collect())
}

fn feature_of(text: &str) -> Result<DiscordFeature> {
    match text {
        "live_notification" => Ok(DiscordFeature::LiveNotification),
        "event_feed" => Ok(DiscordFeature::EventFeed),
        "chat_mirror" => Ok(DiscordFeature::ChatMirror),
        other => Err(ApiError::internal(format_args!("unknown feature of a Discord server: `{other}`"))),
    }
}

/// One page of the servers of all accounts, for staff, and how many there are.
pub(super) async fn of_everybody(
    connection: &mut AsyncPgConnection,
    window: Window,
) -> Result<(Vec<LinkedDiscordGuild>, i64)> {
    type Row = (Uuid, Uuid, String, String, String, Option<String>, Timestamp);
    let rows: Vec<Row> = discord_guilds::table
        .inner_join(accounts::table)
        .order((discord_guilds::connected_at.desc(), discord_guilds::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select((
            discord_guilds::id,
            discord_guilds::account_id,
            accounts::name,
            discord_guilds::guild_id,
            discord_guilds::name,
            discord_guilds::icon_url,
            discord_guilds::connected_at,
        ))
        .load(connection)
        .await?;
    let total = discord_guilds::table.select(count_star()).first(connection).await?;
    let guild = |(id, account_id, account_name, guild_id, name, icon_url, connected_at): Row| {
        LinkedDiscordGuild { id, account_id, account_name, guild_id, name, icon_url, connected_at }
    };
    Ok((rows.into_iter().map(guild).collect(), total))
}

/// The account and Discord's id of the server that was there.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<(Uuid, String)>> {
    Ok(diesel::delete(discord_guilds::table.find(id))
        .returning((discord_guilds::account_id, discord_guilds::guild_id))
        .get_result(connection)
        .await
        .optional()?)
}
