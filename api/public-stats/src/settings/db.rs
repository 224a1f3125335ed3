//! Queries over `public_channel_settings`. Each carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{id::AccountId, platform::Platform};

use super::{PublicChannelSettings, UpdatePublicStatsChannelInput};

/// Channel that an account has connected.
#[derive(QueryableByName)]
pub(super) struct Connected {
    #[diesel(sql_type = Text)]
    pub platform_channel_id: String,
    #[diesel(sql_type = Text)]
    pub channel_name: String,
}

/// Settings before a change.
#[derive(Debug, Clone, Copy, QueryableByName)]
pub(super) struct Former {
    #[diesel(sql_type = Bool)]
    pub is_public: bool,
    #[diesel(sql_type = Bool)]
    pub show_top_chatters: bool,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    channel_name: Option<String>,
    #[diesel(sql_type = Bool)]
    is_public: bool,
    #[diesel(sql_type = Bool)]
    show_top_chatters: bool,
    #[diesel(sql_type = Nullable<Text>)]
    opted_out_via: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    updated_at: Option<Timestamp>,
}

/// The settings of a former channel on the platform are not those of the present one.
const LIST: &str = "
    SELECT connections.platform, connections.platform_channel_id, connections.channel_name,
        coalesce(settings.is_public, true) AS is_public,
        coalesce(settings.show_top_chatters, false) AS show_top_chatters, settings.opted_out_via, settings.updated_at
    FROM channel_connections AS connections
    LEFT JOIN public_channel_settings AS settings ON settings.account_id = connections.account_id
        AND settings.platform = connections.platform
        AND settings.platform_channel_id = connections.platform_channel_id
    WHERE connections.account_id = $1 AND connections.platform IN ('twitch', 'youtube', 'kick', 'trovo')
        AND connections.connected_at > 'epoch'
    ORDER BY connections.platform LIMIT 4";

const CONNECTED: &str = "
    SELECT platform_channel_id, channel_name FROM channel_connections
    WHERE account_id = $1 AND platform = $2 AND connected_at > 'epoch' FOR SHARE";

const FORMER: &str = "
    SELECT is_public, show_top_chatters FROM public_channel_settings
    WHERE account_id = $1 AND platform = $2 AND platform_channel_id = $3";

const UPSERT: &str = "
    INSERT INTO public_channel_settings (account_id, platform, platform_channel_id, channel_name, is_public,
        show_top_chatters, opted_out_via, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (account_id, platform) DO UPDATE SET platform_channel_id = excluded.platform_channel_id,
        channel_name = excluded.channel_name, is_public = excluded.is_public,
        show_top_chatters = excluded.show_top_chatters, opted_out_via = excluded.opted_out_via,
        updated_at = excluded.updated_at
    RETURNING platform, platform_channel_id, channel_name, is_public, show_top_chatters, opted_out_via, updated_at";

impl Connected {
    /// The channel, if its id on the platform is known.
    pub(super) fn identified(self) -> Option<Self> {
        (!self.platform_channel_id.trim().is_empty()).then_some(self)
    }
}

impl Default for Former {
    /// Settings of a channel without a row.
    fn default() -> Self {
        Self { is_public: true, show_top_chatters: false }
    }
}

impl From<Row> for PublicChannelSettings {
    fn from(row: Row) -> Self {
        Self {
            platform: row.platform,
            platform_channel_id: row.platform_channel_id,
            channel_name: row.channel_name,
            is_public: row.is_public,
            show_top_chatters: row.show_top_chatters,
            opted_out_via: row.opted_out_via,
            updated_at: row.updated_at,
        }
    }
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<PublicChannelSettings>> {
    let rows: Vec<Row> =
        sql_query(LIST).bind::<SqlUuid, _>(account.uuid()).prepared().load(connection).await?;
    Ok(rows.into_iter().map(PublicChannelSettings::from).collect())
}

/// Finds the account's channel on a platform, and keeps another from taking its place until the transaction
/// ends.
pub(super) async fn lock_connected(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Platform,
) -> Result<Option<Connected>> {
    Ok(sql_query(CONNECTED)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Text, _>(platform.slug())
        .prepared()
        .get_result(connection)
        .await
        .optional()?)
}

/// Keeps other changes of the channel's settings, also those of other accounts, away until the transaction
/// ends.
pub(super) async fn lock_channel(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    id: &str,
) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("public_channel_settings:{platform}:{id}"))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn former(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Platform,
    id: &str,
) -> Result<Former> {
    let former: Option<Former> = sql_query(FORMER)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .prepared()
        .get_result(connection)
        .await
        .optional()?;
    Ok(former.unwrap_or_default())
}

pub(super) async fn upsert(
    connection: &mut AsyncPgConnection,
    (account, platform): (AccountId, Platform),
    channel: &Connected,
    (input, opted_out_via): (UpdatePublicStatsChannelInput, Option<&str>),
    now: DateTime<Utc>,
) -> Result<PublicChannelSettings> {
    let row: Row = sql_query(UPSERT)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(&channel.platform_channel_id)
        .bind::<Text, _>(&channel.channel_name)
        .bind::<Bool, _>(input.is_public)
        .bind::<Bool, _>(input.show_top_chatters)
        .bind::<Nullable<Text>, _>(opted_out_via)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .get_result(connection)
        .await?;
    Ok(row.into())
}
