//! Whether channels are on air (C §10, channel status). Platforms push it, or it is polled; what was learned last is
//! stored.

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AccountCaller, Grants, account_features},
    graphql::Int64,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::{catalogue::AccountPermission, connections::ConnectionKind};
use utoipa::ToSchema;

use super::db;

/// Where a broadcast stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BroadcastStatus {
    Live,
    Upcoming,
}

/// A broadcast of a connected channel, or a channel without one.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct ChannelStatus {
    pub platform: String,
    pub is_online: bool,
    /// Null where the platform knows one broadcast a channel.
    pub broadcast_id: Option<String>,
    /// Null when nothing is on air or announced.
    pub broadcast_status: Option<BroadcastStatus>,
    pub stream_title: Option<String>,
    pub category: Option<String>,
    pub viewer_count: Option<Int64>,
    pub like_count: Option<Int64>,
    pub total_views: Option<Int64>,
    pub started_at: Option<Timestamp>,
    pub scheduled_start: Option<Timestamp>,
    /// YouTube's chat of the broadcast.
    pub live_chat_id: Option<String>,
    /// When it was learned; null when nothing is known yet.
    pub updated_at: Option<Timestamp>,
}

/// Whether the account's channels are on air.
pub static CHANNEL_STATUS: Operation<AccountCaller> = Operation::account_any(
    "channelStatus",
    &[AccountPermission::ConnectionsRead, AccountPermission::SpotifyRead],
    Grants::Nothing,
);

/// Tells whether the account's channels are on air: a row a broadcast, and one for each channel without any. Channels
/// of a platform that is switched off are left out.
///
/// # Errors
/// As the rule.
pub async fn channel_status(cx: &Cx) -> Result<Vec<ChannelStatus>> {
    let caller = cx.authorize(&CHANNEL_STATUS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut statuses = db::live(&mut *caller.db().await?, caller.account).await?;
    statuses.retain(|status| features.platform_allows(&status.platform, ConnectionKind::Channel.as_str()));
    Ok(statuses)
}
