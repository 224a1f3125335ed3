//! YouTube over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{MembershipTier, YoutubeStream};

pub struct YoutubeQueries;

#[graphql_object(context = Cx)]
impl YoutubeQueries {
    /// The tiers of the channel's memberships, in the order in which they were first seen.
    async fn youtube_membership_tiers(ctx: &Cx) -> Result<Vec<MembershipTier>> {
        super::youtube_membership_tiers(ctx).await
    }

    /// The channel's broadcasts that are live or scheduled.
    async fn youtube_active_streams(ctx: &Cx) -> Result<Vec<YoutubeStream>> {
        super::youtube_active_streams(ctx).await
    }
}
