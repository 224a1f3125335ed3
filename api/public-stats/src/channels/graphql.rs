//! GraphQL fields of `channels`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{
    ChannelPath, ProfileHistoryQuery, PublicChannelStats, PublicChannelTrends, PublicPanel,
    PublicProfileChange, PublicTrendsRange, TrendsQuery,
};

/// Query fields.
pub struct PublicChannelQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PublicChannelQueries {
    async fn public_channel_stats(ctx: &Cx, platform: String, channel: String) -> Result<PublicChannelStats> {
        let path = ChannelPath { platform: &platform, channel: &channel };
        Ok((*super::public_channel_stats(ctx, path).await?).clone())
    }

    async fn public_channel_profile_history(
        ctx: &Cx,
        platform: String,
        channel: String,
        limit: Option<i32>,
        offset: Option<i32>,
    ) -> Result<Vec<PublicProfileChange>> {
        let path = ChannelPath { platform: &platform, channel: &channel };
        let query = ProfileHistoryQuery { limit: limit.map(i64::from), offset: offset.map(i64::from) };
        Ok((*super::public_channel_profile_history(ctx, path, Ok(query)).await?).clone())
    }

    async fn public_channel_trends(
        ctx: &Cx,
        platform: String,
        channel: String,
        range: PublicTrendsRange,
    ) -> Result<PublicChannelTrends> {
        let path = ChannelPath { platform: &platform, channel: &channel };
        Ok((*super::public_channel_trends(ctx, path, Ok(TrendsQuery { range })).await?).clone())
    }

    async fn public_channel_panel_history(
        ctx: &Cx,
        platform: String,
        channel: String,
    ) -> Result<Vec<PublicPanel>> {
        let path = ChannelPath { platform: &platform, channel: &channel };
        Ok((*super::public_channel_panel_history(ctx, path).await?).clone())
    }
}
