//! GraphQL fields of YouTube.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{MembershipTier, YoutubeStream};

/// Queries of YouTube.
pub struct YoutubeQueries;

#[graphql_object(context = Cx)]
impl YoutubeQueries {
    async fn youtube_membership_tiers(ctx: &Cx) -> Result<Vec<MembershipTier>> {
        super::youtube_membership_tiers(ctx).await
    }

    async fn youtube_active_streams(ctx: &Cx) -> Result<Vec<YoutubeStream>> {
        super::youtube_active_streams(ctx).await
    }
}
