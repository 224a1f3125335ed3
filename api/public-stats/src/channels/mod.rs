//! Public statistics of one channel (reference/public-stats.md#channels).

mod db;
pub mod graphql;
mod history;
mod objects;
pub mod rest;
mod trends;

use std::sync::Arc;

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Visitor},
    graphql::Int64,
};
use foundation::db::ReadPools;
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{catalogue::Feature, platform::Platform};
use utoipa::ToSchema;

pub use history::{
    PUBLIC_CHANNEL_PANEL_HISTORY, PUBLIC_CHANNEL_PROFILE_HISTORY, ProfileHistoryQuery,
    public_channel_panel_history, public_channel_profile_history,
};
pub use objects::{PublicPanel, PublicProfileChange};
pub use trends::{
    PUBLIC_CHANNEL_TRENDS, PublicAverageDay, PublicChannelTrends, PublicFollowerDay, PublicTrendsRange,
    TrendsQuery, public_channel_trends,
};

use crate::{names, platforms::supported, responses::answer};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &PUBLIC_CHANNEL_STATS,
    &PUBLIC_CHANNEL_PROFILE_HISTORY,
    &PUBLIC_CHANNEL_TRENDS,
    &PUBLIC_CHANNEL_PANEL_HISTORY,
];

/// Channel of a path.
#[derive(Debug, Clone, Copy)]
pub struct ChannelPath<'a> {
    /// Platform as written.
    pub platform: &'a str,
    /// The platform's id or the login, as written.
    pub channel: &'a str,
}

/// Figures of a channel over all its days.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicChannelStats {
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Displayed name. Null: not known.
    pub channel_display_name: Option<String>,
    /// `first_party` when an account has connected the channel, else `external_crawler`.
    pub source: String,
    /// Number of streams.
    pub stream_count: i32,
    /// Time on air, in seconds.
    pub total_duration_secs: Int64,
    /// Peak of the viewers. Null: the channel was never on air.
    pub peak_viewers: Option<Int64>,
    /// Average of the viewers while it was on air. Null: it never was.
    pub avg_viewers: Option<f64>,
    /// Number of chat messages.
    pub total_messages: Int64,
    /// End of the last stream, or the present time of a live one. Null: there was none.
    pub last_streamed_at: Option<Timestamp>,
    /// Kind of broadcaster in the words of the platform, such as `partner`. Null: not known.
    pub broadcaster_type: Option<String>,
    /// Newest streams, at most 10.
    pub recent_streams: Vec<PublicRecentStream>,
}

/// Stream in the list of its channel.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicRecentStream {
    /// The platform's id of the broadcast.
    pub broadcast_id: String,
    /// Last title. Null: not known.
    pub title: Option<String>,
    /// Last category. Null: not known.
    pub category: Option<String>,
    /// Start.
    pub started_at: Timestamp,
    /// End. Null: it is live.
    pub ended_at: Option<Timestamp>,
    /// Time on air, in seconds. Null: it is live.
    pub duration_secs: Option<Int64>,
    /// Peak of the viewers. Null: not known.
    pub peak_viewers: Option<Int64>,
    /// Average of the viewers. Null: not known.
    pub avg_viewers: Option<f64>,
    /// Number of chat messages.
    pub total_messages: Int64,
}

pub static PUBLIC_CHANNEL_STATS: Operation<Visitor> =
    Operation::public("publicChannelStats", Grants::Nothing).feature(Feature::PublicStats);

/// Returns the figures of a channel with its newest streams.
///
/// The channel is named by the platform's id or by its login. `If-None-Match` gets 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for a platform without them; 404 for a channel
/// that is not known or has opted out.
#[api_core::operation]
pub async fn public_channel_stats(cx: &Cx, path: ChannelPath<'_>) -> Result<Arc<PublicChannelStats>> {
    let visitor = cx.authorize(&PUBLIC_CHANNEL_STATS).await?;
    let (platform, name) = path.checked()?;
    let query = format!("channel {platform} {name:?}");
    let name = name.to_owned();
    answer(cx, &visitor, query, move |pools| stats(pools, platform, name.clone())).await
}

async fn stats(pools: ReadPools<'_>, platform: Platform, name: String) -> Result<PublicChannelStats> {
    let mut connection = pools.postgres().await?;
    let reader = &mut connection.reader();
    let channel = names::channel(reader, platform, &name).await?;
    let totals = db::totals(reader, platform, &channel.platform_channel_id).await?;
    let recent_streams = db::recent_streams(reader, platform, &channel.platform_channel_id).await?;
    Ok(totals.into_stats(channel, recent_streams))
}

impl<'a> ChannelPath<'a> {
    /// Checks the platform, and that the text may name a channel.
    ///
    /// # Errors
    /// 400 for a platform without public statistics, 404 for any other text.
    fn checked(self) -> Result<(Platform, &'a str)> {
        let platform = supported("platform", self.platform)?;
        if names::is_name(self.channel) {
            Ok((platform, self.channel))
        } else {
            Err(names::channel_not_found())
        }
    }
}
