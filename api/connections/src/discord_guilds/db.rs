//! Queries over linked Discord servers. Those for an account are limited to it; the others are for staff.

use api_core::{Result, Timestamp, page::Window};
use diesel::{dsl::count_star, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    schema::{accounts, discord_guilds},
};
use uuid::Uuid;

use super::LinkedDiscordGuild;
use crate::stored_guilds::{DiscordGuild, DiscordGuildRow, complete};

/// Upper bound of the list. An account has a few servers.
const MAX_ROWS: i64 = 500;

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

/// Returns one page of the servers of all accounts, for staff, and the total number.
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

/// Deletes a link and returns the account and Discord's id of the server.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<(Uuid, String)>> {
    Ok(diesel::delete(discord_guilds::table.find(id))
        .returning((discord_guilds::account_id, discord_guilds::guild_id))
        .get_result(connection)
        .await
        .optional()?)
}
