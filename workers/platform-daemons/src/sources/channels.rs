//! Channels to read.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{Result, platform::Platform};
use uuid::Uuid;

/// Number of channels of one page.
const PAGE_SIZE: i64 = 1000;

/// Connected channel. One that several accounts have connected is read once, with the oldest connection that
/// works.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Channel {
    #[diesel(sql_type = SqlUuid)]
    pub connection_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Platform's id of the channel.
    #[diesel(sql_type = Text)]
    pub channel_id: String,
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Application that the tokens were issued to.
    #[diesel(sql_type = Nullable<Text>)]
    pub client_id: Option<String>,
    /// True when that is the account's own application.
    #[diesel(sql_type = Bool)]
    pub has_own_app: bool,
}

/// Page of channels in the order of their ids.
pub(super) struct Page {
    pub channels: Vec<Channel>,
    /// Position of the next page; `None` when this was the last.
    pub next: Option<String>,
}

impl Channel {
    /// True for the channel of this id.
    pub fn is(&self, channel_id: &str) -> bool {
        self.channel_id == channel_id
    }
}

/// Returns the channels after a position.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    after: Option<&str>,
) -> Result<Page> {
    // Byte order, as the reader compares ids. A channel that was imported counts after its sign-in only.
    let sql = r#"
        SELECT DISTINCT ON (platform_channel_id COLLATE "C") id AS connection_id, account_id,
            platform_channel_id AS channel_id, display_name AS name, client_id,
            credential_source = 'account' AS has_own_app
        FROM channel_connections
        WHERE platform = $1 AND NOT reconnect_required AND connected_at > 'epoch'
            AND platform_channel_id COLLATE "C" > $2
        ORDER BY platform_channel_id COLLATE "C", connected_at, id LIMIT $3"#;
    let channels: Vec<Channel> = sql_query(sql)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(after.unwrap_or_default())
        .bind::<BigInt, _>(PAGE_SIZE)
        .load(connection)
        .await?;
    let is_full = i64::try_from(channels.len()).unwrap_or(i64::MAX) >= PAGE_SIZE;
    let next = channels.last().filter(|_| is_full).map(|last| last.channel_id.clone());
    Ok(Page { channels, next })
}
