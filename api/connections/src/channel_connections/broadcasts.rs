//! Queries over the broadcasts of the account's channels.

use api_core::{ApiError, Result, Timestamp, graphql::Int64};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::{
    id::AccountId,
    schema::{channel_connections, channel_statuses},
};
use utoipa::ToSchema;

/// Largest number of broadcasts in the list.
const MAX_ROWS: i64 = 500;

/// State of a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BroadcastStatus {
    /// On air.
    Live,
    /// Announced.
    Upcoming,
}

/// Broadcast of a connected channel, or a channel without one.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct ChannelStatus {
    /// Slug of the platform.
    pub platform: String,
    /// True while the broadcast is on air.
    pub is_online: bool,
    /// Id of the broadcast. Null where the platform has one broadcast for each channel.
    pub broadcast_id: Option<String>,
    /// State of the broadcast. Null when nothing is on air or announced.
    pub broadcast_status: Option<BroadcastStatus>,
    /// Title. Null when unknown.
    pub stream_title: Option<String>,
    /// Category or game. Null when unknown.
    pub category: Option<String>,
    /// Present number of viewers. Null when unknown.
    pub viewer_count: Option<Int64>,
    /// Number of likes. Null when unknown.
    pub like_count: Option<Int64>,
    /// Number of views in total. Null when unknown.
    pub total_views: Option<Int64>,
    /// Time of the start. Null when it has not started or the time is unknown.
    pub started_at: Option<Timestamp>,
    /// Announced time of the start. Null: none.
    pub scheduled_start: Option<Timestamp>,
    /// Id of YouTube's live chat of the broadcast. Null elsewhere.
    pub live_chat_id: Option<String>,
    /// Time of the observation. Null when nothing is known.
    pub updated_at: Option<Timestamp>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = channel_statuses)]
struct Broadcast {
    broadcast_id: Option<String>,
    is_online: bool,
    broadcast_status: Option<String>,
    stream_title: Option<String>,
    category: Option<String>,
    viewer_count: Option<i64>,
    like_count: Option<i64>,
    total_views: Option<i64>,
    started_at: Option<Timestamp>,
    scheduled_start: Option<Timestamp>,
    live_chat_id: Option<String>,
    updated_at: Timestamp,
}

/// Lists the known status of the account's channels. Spotify has no broadcasts.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<ChannelStatus>> {
    let rows: Vec<(String, Option<Broadcast>)> = channel_connections::table
        .left_join(
            channel_statuses::table.on(channel_statuses::account_id
                .eq(channel_connections::account_id)
                .and(channel_statuses::platform.eq(channel_connections::platform))),
        )
        .filter(channel_connections::account_id.eq(account).and(channel_connections::platform.ne("spotify")))
        .order((channel_connections::platform, channel_statuses::broadcast_id))
        .limit(MAX_ROWS)
        .select((channel_connections::platform, Option::<Broadcast>::as_select()))
        .load(connection)
        .await?;
    rows.into_iter().map(|(platform, broadcast)| status(platform, broadcast)).collect()
}

fn status(platform: String, broadcast: Option<Broadcast>) -> Result<ChannelStatus> {
    let Some(known) = broadcast else {
        return Ok(ChannelStatus {
            platform,
            is_online: false,
            broadcast_id: None,
            broadcast_status: None,
            stream_title: None,
            category: None,
            viewer_count: None,
            like_count: None,
            total_views: None,
            started_at: None,
            scheduled_start: None,
            live_chat_id: None,
            updated_at: None,
        });
    };
    let broadcast_status = match known.broadcast_status.as_deref() {
        None => None,
        Some("live") => Some(BroadcastStatus::Live),
        Some("upcoming") => Some(BroadcastStatus::Upcoming),
        Some(other) => return Err(ApiError::internal(format_args!("unknown broadcast status `{other}`"))),
    };
    Ok(ChannelStatus {
        platform,
        is_online: known.is_online,
        broadcast_id: known.broadcast_id,
        broadcast_status,
        stream_title: known.stream_title,
        category: known.category,
        viewer_count: known.viewer_count.map(Int64),
        like_count: known.like_count.map(Int64),
        total_views: known.total_views.map(Int64),
        started_at: known.started_at,
        scheduled_start: known.scheduled_start,
        live_chat_id: known.live_chat_id,
        updated_at: Some(known.updated_at),
    })
}
