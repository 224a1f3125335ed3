//! Linked Discord servers as they are stored, with the channels that features write in
//! (reference/connections.md#discord-servers).

use std::collections::HashMap;

use api_core::{ApiError, Result, Timestamp};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::schema::{discord_guild_channels, discord_guilds};
use utoipa::ToSchema;
use uuid::Uuid;

/// Feature that writes in a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiscordFeature {
    /// Notice that the channel is live.
    LiveNotification,
    /// Feed of events.
    EventFeed,
    /// Mirror of the chat.
    ChatMirror,
}

/// Channel of a server that a feature writes in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DiscordGuildChannel {
    /// Feature.
    pub feature: DiscordFeature,
    /// Id of the channel at Discord.
    pub channel_id: String,
}

/// Discord server that the deployment's bot was added to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DiscordGuild {
    /// Identifier of the link.
    pub id: Uuid,
    /// Id of the server at Discord.
    pub guild_id: String,
    /// Name of the server.
    pub name: String,
    /// Address of the icon. Null: none.
    pub icon_url: Option<String>,
    /// Channels that features write in.
    pub channels: Vec<DiscordGuildChannel>,
    /// Time of linking.
    pub connected_at: Timestamp,
    /// Person who linked it. Null when the person was deleted, or when a key linked it.
    pub connected_by: Option<Uuid>,
}

/// Server without its channels.
#[derive(Queryable, Selectable)]
#[diesel(table_name = discord_guilds)]
pub(crate) struct DiscordGuildRow {
    /// Identifier of the link.
    pub id: Uuid,
    guild_id: String,
    name: String,
    icon_url: Option<String>,
    connected_at: Timestamp,
    connected_by: Option<Uuid>,
}

/// Returns a server with its channels.
pub(crate) async fn with_channels(
    connection: &mut AsyncPgConnection,
    row: DiscordGuildRow,
) -> Result<DiscordGuild> {
    let mut guilds = complete(connection, vec![row]).await?;
    guilds.pop().ok_or_else(|| ApiError::internal("a server was lost"))
}

/// Loads the channels of all servers in one statement.
pub(crate) async fn complete(
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
