//! GraphQL fields of `settings`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{PublicChannelSettings, UpdatePublicStatsChannelInput};

/// Query fields.
pub struct PublicStatsSettingsQueries;
/// Mutation fields.
pub struct PublicStatsSettingsMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PublicStatsSettingsQueries {
    async fn public_stats_channels(ctx: &Cx) -> Result<Vec<PublicChannelSettings>> {
        super::public_stats_channels(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PublicStatsSettingsMutations {
    async fn update_public_stats_channel(
        ctx: &Cx,
        platform: String,
        input: UpdatePublicStatsChannelInput,
    ) -> Result<PublicChannelSettings> {
        super::update_public_stats_channel(ctx, &platform, Ok(input)).await
    }
}
