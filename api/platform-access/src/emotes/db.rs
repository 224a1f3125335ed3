//! Queries over channels and servers with emotes.

use api_core::Result;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    platform::Platform,
    schema::{bot_connections, channel_connections, discord_guilds},
};
use uuid::Uuid;

use super::EmoteScope;

/// Largest number of servers of an account whose emojis are listed.
const MAX_GUILDS: i64 = 10;
/// Bound of the query, above the number of platforms.
const MAX_CHANNELS: i64 = 20;

/// Channels and servers of an account.
pub(super) async fn places(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<EmoteScope>> {
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
        .load(connection)
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
