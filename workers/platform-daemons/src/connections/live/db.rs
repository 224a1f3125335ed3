//! Channels to query, with their known states.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use shared::{Result, platform::Platform};
use uuid::Uuid;

use super::classify::Known;
use crate::PlatformContext;

/// Channel, which several accounts may have connected; on YouTube one of its broadcasts.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    /// Id for the query: that of the channel, on YouTube that of the video.
    pub id: String,
    pub broadcast_id: Option<String>,
    pub accounts: Vec<Uuid>,
    /// A connection of the channel that works; `client_id` is its application.
    pub connection_id: Uuid,
    pub client_id: Option<String>,
    pub known: Option<Known>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    id: String,
    #[diesel(sql_type = Array<SqlUuid>)]
    accounts: Vec<Uuid>,
    #[diesel(sql_type = SqlUuid)]
    connection_id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    client_id: Option<String>,
    #[diesel(sql_type = Nullable<Bool>)]
    is_online: Option<bool>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    known_at: Option<DateTime<Utc>>,
}

/// Selects every connected channel. One whose connection is flagged is still on air.
const CHANNELS: &str = "
    SELECT c.platform_channel_id AS id, array_agg(c.account_id) AS accounts,
        (array_agg(c.id ORDER BY c.reconnect_required, c.id))[1] AS connection_id,
        (array_agg(c.client_id ORDER BY c.reconnect_required, c.id))[1] AS client_id,
        bool_or(s.is_online) AS is_online, max(s.updated_at) AS known_at
    FROM channel_connections c
    LEFT JOIN channel_statuses s ON s.account_id = c.account_id AND s.platform = c.platform AND s.broadcast_id IS NULL
    WHERE c.platform = $1 AND c.connected_at > 'epoch' AND ($2 IS NULL OR c.platform_channel_id > $2)
    GROUP BY c.platform_channel_id ORDER BY c.platform_channel_id LIMIT $3";
/// Selects broadcasts that are known to be on air, by the application whose quota pays for the query.
const BROADCASTS: &str = "
    SELECT s.broadcast_id AS id, array_agg(c.account_id) AS accounts, (array_agg(c.id ORDER BY c.id))[1] AS connection_id,
        c.client_id, true AS is_online, max(s.updated_at) AS known_at
    FROM channel_statuses s
    JOIN channel_connections c ON c.account_id = s.account_id AND c.platform = s.platform
    WHERE s.platform = $1 AND s.is_online AND s.broadcast_id IS NOT NULL AND NOT c.reconnect_required
        AND c.connected_at > 'epoch' AND ($2 IS NULL OR s.broadcast_id > $2)
    GROUP BY s.broadcast_id, c.client_id ORDER BY s.broadcast_id LIMIT $3";

/// Returns the channels after the last round.
pub(super) async fn page(
    context: &PlatformContext,
    platform: Platform,
    after: Option<&str>,
    limit: i64,
) -> Result<Vec<Channel>> {
    let is_by_broadcast = platform == Platform::Youtube;
    let rows: Vec<Row> = sql_query(if is_by_broadcast { BROADCASTS } else { CHANNELS })
        .bind::<Text, _>(platform.slug())
        .bind::<Nullable<Text>, _>(after)
        .bind::<BigInt, _>(limit)
        .load(&mut *context.databases.postgres.get().await?)
        .await?;
    let mut channels: Vec<Channel> = rows.into_iter().map(|row| row.channel(is_by_broadcast)).collect();
    if is_by_broadcast {
        channels.sort_by(|one, other| one.client_id.cmp(&other.client_id));
    }
    Ok(channels)
}

impl Row {
    fn channel(self, is_by_broadcast: bool) -> Channel {
        Channel {
            broadcast_id: is_by_broadcast.then(|| self.id.clone()),
            id: self.id,
            accounts: self.accounts,
            connection_id: self.connection_id,
            client_id: self.client_id,
            known: self.is_online.zip(self.known_at).map(|(is_online, at)| Known { is_online, at }),
        }
    }
}
