//! Followers and viewers of a channel by day (reference/public-stats.md#trends).

use std::sync::Arc;

use api_core::{
    Cx, Input, Operation, Result,
    access::{Grants, Visitor},
    graphql::Int64,
};
use chrono::{DateTime, Utc};
use foundation::db::ReadPools;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{catalogue::Feature, platform::Platform};
use utoipa::{IntoParams, ToSchema};

use super::{ChannelPath, db};
use crate::{lists, names, responses::answer};

/// Days of a trend, today included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
pub enum PublicTrendsRange {
    /// 30 days.
    #[serde(rename = "DAYS_30")]
    #[graphql(name = "DAYS_30")]
    Days30,
    /// 90 days.
    #[serde(rename = "DAYS_90")]
    #[graphql(name = "DAYS_90")]
    Days90,
    /// 180 days.
    #[serde(rename = "DAYS_180")]
    #[graphql(name = "DAYS_180")]
    Days180,
    /// 365 days.
    #[serde(rename = "DAYS_365")]
    #[graphql(name = "DAYS_365")]
    Days365,
}

/// Days of a trend.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TrendsQuery {
    /// Number of days, today included.
    #[param(inline)]
    pub range: PublicTrendsRange,
}

/// Followers and viewers of a channel by day, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicChannelTrends {
    /// Days with a known number of followers.
    pub follower_series: Vec<PublicFollowerDay>,
    /// Days on which the channel was on air.
    pub avg_viewer_series: Vec<PublicAverageDay>,
}

/// Followers at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicFollowerDay {
    /// UTC day, `YYYY-MM-DD`.
    pub date: String,
    /// Number of followers.
    pub follower_count: Int64,
}

/// Viewers of a day.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicAverageDay {
    /// UTC day, `YYYY-MM-DD`.
    pub date: String,
    /// Average of the viewers while it was on air.
    pub avg_viewers: f64,
}

pub static PUBLIC_CHANNEL_TRENDS: Operation<Visitor> =
    Operation::public("publicChannelTrends", Grants::Nothing).feature(Feature::PublicStats);

/// Returns followers and average viewers of a channel by UTC day, oldest first.
///
/// A day without a figure is left out. `If-None-Match` gets 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for a platform without them, and without a
/// range; 404 for a channel that is not known or has opted out.
#[api_core::operation]
pub async fn public_channel_trends(
    cx: &Cx,
    path: ChannelPath<'_>,
    query: Input<TrendsQuery>,
) -> Result<Arc<PublicChannelTrends>> {
    let visitor = cx.authorize(&PUBLIC_CHANNEL_TRENDS).await?;
    let days = query?.range.days();
    let (platform, name) = path.checked()?;
    let now = cx.state().clock.now();
    let query = format!("trends {platform} {name:?} {days}");
    let name = name.to_owned();
    answer(cx, &visitor, query, move |pools| trends(pools, platform, name.clone(), (now, days))).await
}

async fn trends(
    pools: ReadPools<'_>,
    platform: Platform,
    name: String,
    (now, days): (DateTime<Utc>, i16),
) -> Result<PublicChannelTrends> {
    let mut connection = pools.postgres().await?;
    let reader = &mut connection.reader();
    let channel = names::channel(reader, platform, &name).await?;
    let window = (lists::day_before(now, days), now.date_naive());
    let days = db::days(reader, platform, &channel.platform_channel_id, window).await?;
    let follower_series = days.iter().filter_map(|day| {
        Some(PublicFollowerDay { date: day.day.to_string(), follower_count: Int64(day.follower_count?) })
    });
    let avg_viewer_series = days.iter().filter_map(|day| {
        Some(PublicAverageDay { date: day.day.to_string(), avg_viewers: lists::rounded(day.avg_viewers?) })
    });
    Ok(PublicChannelTrends {
        follower_series: follower_series.collect(),
        avg_viewer_series: avg_viewer_series.collect(),
    })
}

impl PublicTrendsRange {
    const fn days(self) -> i16 {
        match self {
            Self::Days30 => 30,
            Self::Days90 => 90,
            Self::Days180 => 180,
            Self::Days365 => 365,
        }
    }
}
