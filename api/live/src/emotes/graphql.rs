//! GraphQL fields of emotes.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::EmoteSets;

/// Queries of emotes.
pub struct EmoteQueries;

#[graphql_object(context = Cx)]
impl EmoteQueries {
    async fn channel_emotes(ctx: &Cx, platform: String, channel_id: String) -> Result<EmoteSets> {
        super::channel_emotes(ctx, &platform, &channel_id).await
    }

    async fn user_emotes(ctx: &Cx) -> Result<EmoteSets> {
        super::user_emotes(ctx).await
    }
}
