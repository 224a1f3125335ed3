//! Channels that are to be read.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{Result, platforms::Platform};
use uuid::Uuid;

/// Channels of one look.
const PAGE: i64 = 1000;

/// A connected channel. One that several accounts have connected is read once, with the oldest connection that works.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Channel {
    #[diesel(sql_type = SqlUuid)]
    pub connection_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// The platform's id.
    #[diesel(sql_type = Text)]
    pub channel_id: String,
    #[diesel(sql_type = Text)]
    pub name: String,
    /// The application that the tokens were issued to.
    #[diesel(sql_type = Nullable<Text>)]
    pub client_id: Option<String>,
    /// Whether that is the account's own.
    #[diesel(sql_type = Bool)]
    pub has_own_app: bool,
}

/// A page of channels in the order of their ids.
pub(super) struct Page {
    pub channels: Vec<Channel>,
    /// Where the next page begins; `None` when this was the last.
    pub next: Option<String>,
}

impl Channel {
    pub fn is(&self, channel_id: &str) -> bool {
        self.channel_id == channel_id
    }
}

/// The channels after one.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    after: Option<&str>,
) -> Result<Page> {
    // Byte order, as the reader compares them.
    let sql = r#"
        SELECT DISTINCT ON (platform_channel_id COLLATE "C") id AS connection_id, account_id,
            platform_channel_id AS channel_id, display_name AS name, client_id,
            credential_source = 'account' AS has_own_app
        FROM channel_connections
        WHERE platform = $1 AND NOT reconnect_required AND platform_channel_id COLLATE "C" > $2
        ORDER BY platform_channel_id COLLATE "C", connected_at, id LIMIT $3"#;
    let channels: Vec<Channel> = sql_query(sql)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(after.unwrap_or_default())
        .bind::<BigInt, _>(PAGE)
        .load(connection)
        .await?;
    let is_full = i64::try_from(channels.len()).unwrap_or(i64::MAX) >= PAGE;
    let next = channels.last().filter(|_| is_full).map(|last| last.channel_id.clone());
    Ok(Page { channels, next })
}
