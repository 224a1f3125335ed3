//! Emotes over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::EmoteSets;

pub struct EmoteQueries;

#[graphql_object(context = Cx)]
impl EmoteQueries {
    /// The emotes of a channel.
    async fn channel_emotes(ctx: &Cx, platform: String, channel_id: String) -> Result<EmoteSets> {
        super::channel_emotes(ctx, &platform, &channel_id).await
    }

    /// The emotes that everybody has, and those of the account's channels and servers.
    async fn user_emotes(ctx: &Cx) -> Result<EmoteSets> {
        super::user_emotes(ctx).await
    }
}
