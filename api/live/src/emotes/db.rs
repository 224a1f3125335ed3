//! Queries over an account's channels and servers.

use api_core::{Result, access::Authenticated};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    platform::Platform,
    schema::{bot_connections, channel_connections, discord_guilds},
};
use uuid::Uuid;

use super::scope::EmoteScope;

/// Largest number of servers of an account whose emojis are listed.
const MAX_GUILDS: i64 = 10;
/// Bound of the query, above the number of platforms.
const MAX_CHANNELS: i64 = 20;

/// True when the caller's account has connected the channel, or linked the server.
pub(super) async fn is_own(caller: &Authenticated, platform: Platform, id: &str) -> Result<bool> {
    use diesel::{dsl::exists, select};
    let Some(account) = caller.account else { return Ok(false) };
    let mut connection = caller.db().await?;
    if platform == Platform::Discord {
        use discord_guilds::dsl;
        let linked = dsl::discord_guilds.filter(dsl::account_id.eq(account).and(dsl::guild_id.eq(id)));
        return Ok(select(exists(linked)).get_result(&mut *connection).await?);
    }
    use channel_connections::dsl;
    let connected = dsl::channel_connections
        .filter(dsl::account_id.eq(account).and(dsl::platform.eq(platform.slug())))
        .filter(dsl::platform_channel_id.eq(id));
    Ok(select(exists(connected)).get_result(&mut *connection).await?)
}

/// Channels and servers of the caller's account.
pub(super) async fn places(caller: &Authenticated) -> Result<Vec<EmoteScope>> {
    let Some(account) = caller.account else { return Ok(Vec::new()) };
    let mut connection = caller.db().await?;
    let channels: Vec<(String, String)> = channel_connections::table
        .filter(channel_connections::account_id.eq(account))
        .order(channel_connections::platform)
        .limit(MAX_CHANNELS)
        .select((channel_connections::platform, channel_connections::platform_channel_id))
        .load(&mut *connection)
        .await?;
    let guilds: Vec<String> = discord_guilds::table
        .filter(discord_guilds::account_id.eq(account))
        .order(discord_guilds::id)
        .limit(MAX_GUILDS)
        .select(discord_guilds::guild_id)
        .load(&mut *connection)
        .await?;
    let channels = channels
        .into_iter()
        .filter_map(|(platform, id)| Some(EmoteScope::Channel { platform: platform.parse().ok()?, id }));
    let guilds = guilds.into_iter().map(|id| EmoteScope::Channel { platform: Platform::Discord, id });
    Ok(channels.chain(guilds).collect())
}

/// The deployment's bot on Discord.
pub(super) async fn discord_bot(connection: &mut AsyncPgConnection) -> Result<Option<Uuid>> {
    use bot_connections::dsl;
    Ok(dsl::bot_connections
        .filter(dsl::account_id.is_null().and(dsl::platform.eq(Platform::Discord.slug())))
        .select(dsl::id)
        .first(connection)
        .await
        .optional()?)
}

/// Name of a channel in addresses, as its connection holds it.
pub(super) async fn channel_name(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channel_id: &str,
) -> Result<Option<String>> {
    use channel_connections::dsl;
    Ok(dsl::channel_connections
        .filter(dsl::platform.eq(platform.slug()).and(dsl::platform_channel_id.eq(channel_id)))
        .select(dsl::channel_name)
        .first(connection)
        .await
        .optional()?)
}
