//! Public statistics of one stream (reference/public-stats.md#streams).

mod db;
pub mod graphql;
pub mod rest;

use std::sync::Arc;

use api_core::{
    ApiError, Cx, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Visitor},
    graphql::Int64,
};
use foundation::db::ReadPools;
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::{catalogue::Feature, platform::Platform};
use utoipa::ToSchema;

use crate::{names, platforms::supported, responses::answer};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&PUBLIC_STREAM_STATS];

/// Stream of a path.
#[derive(Debug, Clone, Copy)]
pub struct StreamPath<'a> {
    /// Platform as written.
    pub platform: &'a str,
    /// The platform's id of the broadcast, as written.
    pub broadcast_id: &'a str,
}

/// Figures of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicStreamStats {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// The platform's id of the broadcast.
    pub broadcast_id: String,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Displayed name of the channel. Null: not known.
    pub channel_display_name: Option<String>,
    /// `first_party` when the figures are of an account that has connected the channel, else
    /// `external_crawler`.
    pub source: String,
    /// Last title. Null: not known.
    pub title: Option<String>,
    /// Last category. Null: not known.
    pub category: Option<String>,
    /// Language. Null: not known.
    pub language: Option<String>,
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
    /// Number of emotes in chat messages.
    pub emote_count: Int64,
    /// Most used emotes, at most 20.
    pub top_emotes: Vec<PublicStreamEmote>,
    /// Number of GIFs in chat messages.
    pub gif_count: Int64,
    /// Most used GIFs, at most 20.
    pub top_gifs: Vec<PublicStreamGif>,
    /// People who wrote most, at most 20. Null: an account that has connected the channel does not allow their
    /// names, or none has connected it.
    pub top_chatters: Option<Vec<PublicStreamChatter>>,
}

/// Use of an emote in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct PublicStreamEmote {
    /// The provider's id.
    pub id: String,
    /// Code in messages.
    pub name: String,
    /// Provider.
    pub provider: String,
    /// Address of the picture. Null: not known.
    pub url: Option<String>,
    /// Number of times that it was used.
    pub count: Int64,
}

/// Use of a GIF in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct PublicStreamGif {
    /// The provider's id.
    pub id: String,
    /// Address of the picture.
    pub url: String,
    /// `tenor` or `giphy`.
    pub provider: String,
    /// Description. Null: none.
    pub alt: Option<String>,
    /// Number of times that it was used.
    pub count: Int64,
}

/// Person who wrote in the chat of a stream, without an id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct PublicStreamChatter {
    /// Displayed name.
    pub display_name: String,
    /// Number of messages.
    pub message_count: Int64,
}

pub static PUBLIC_STREAM_STATS: Operation<Visitor> =
    Operation::public("publicStreamStats", Grants::Nothing).feature(Feature::PublicStats);

/// Returns the figures of a stream.
///
/// Names of chatters are shown where every account that has connected the channel allows them.
/// `If-None-Match` gets 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for a platform without them; 404 for a stream
/// that is not known, or whose channel has opted out.
#[api_core::operation]
pub async fn public_stream_stats(cx: &Cx, path: StreamPath<'_>) -> Result<Arc<PublicStreamStats>> {
    let visitor = cx.authorize(&PUBLIC_STREAM_STATS).await?;
    let platform = supported("platform", path.platform)?;
    let id = path.broadcast_id;
    if !names::is_name(id) {
        return Err(not_found());
    }
    let query = format!("stream {platform} {id:?}");
    let id = id.to_owned();
    answer(cx, &visitor, query, move |pools| stream(pools, platform, id.clone())).await
}

async fn stream(pools: ReadPools<'_>, platform: Platform, id: String) -> Result<PublicStreamStats> {
    let mut connection = pools.postgres().await?;
    db::find(&mut connection.reader(), platform, &id).await?.ok_or_else(not_found)
}

fn not_found() -> ApiError {
    ApiError::not_found("Stream not found")
}
