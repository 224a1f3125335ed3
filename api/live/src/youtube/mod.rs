//! Membership tiers and broadcasts of YouTube (reference/chat.md#youtube).

mod db;
pub mod graphql;
pub mod rest;
mod streams;

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&YOUTUBE_MEMBERSHIP_TIERS, &YOUTUBE_ACTIVE_STREAMS];

/// Tier of the channel's memberships, as collected from the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct MembershipTier {
    /// Text of the badge, for example `Member (6 months)`.
    pub tooltip: String,
    /// Name of the tier.
    pub tier_name: String,
    /// Address of the badge; null when unknown.
    pub badge_url: Option<String>,
    /// Duration of the membership that the badge shows.
    pub duration_value: Option<i32>,
    /// `MONTH`, `MONTHS`, `YEAR` or `YEARS`.
    pub duration_unit: Option<String>,
    /// The same in months; 0 for new members.
    pub member_months_min: Option<i32>,
    /// Position among the tiers, from 0.
    pub sort_order: i32,
    /// Time at which it was first seen.
    pub first_seen_at: Timestamp,
    /// Time at which it was last seen.
    pub last_seen_at: Timestamp,
}

/// Broadcast that is live or scheduled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct YoutubeStream {
    /// YouTube's id of the broadcast.
    pub broadcast_id: String,
    /// Title of the broadcast.
    pub title: String,
    /// State of the broadcast.
    pub status: YoutubeStreamStatus,
    /// Scheduled time of the start; null when there is none.
    pub scheduled_start: Option<Timestamp>,
    /// Time of the start; null until then.
    pub started_at: Option<Timestamp>,
    /// Number of viewers; null when it is not live or the channel hides it.
    pub viewer_count: Option<Int64>,
    /// YouTube's id of the chat; null when there is none.
    pub live_chat_id: Option<String>,
}

/// State of a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum YoutubeStreamStatus {
    /// It is live.
    Live,
    /// It is scheduled.
    Upcoming,
}

pub static YOUTUBE_MEMBERSHIP_TIERS: Operation<AccountCaller> =
    Operation::account("youtubeMembershipTiers", AccountPermission::ChatRead, Grants::Nothing);

/// Lists the membership tiers of the account's YouTube channel, in the order in which they were first seen.
///
/// YouTube publishes no list. Tiers are collected from badges and member events in the chat, so an unseen
/// tier is missing.
///
/// (reference/chat.md#youtube)
///
/// # Errors
/// 401 or 403 by the access rule.
#[api_core::operation]
pub async fn youtube_membership_tiers(cx: &Cx) -> Result<Vec<MembershipTier>> {
    let caller = cx.authorize(&YOUTUBE_MEMBERSHIP_TIERS).await?;
    db::tiers(&mut *caller.timeseries().await?, caller.account).await
}

pub static YOUTUBE_ACTIVE_STREAMS: Operation<AccountCaller> =
    Operation::account("youtubeActiveStreams", AccountPermission::ChatRead, Grants::Nothing).polled();

/// Lists the broadcasts of the account's YouTube channel that are live or scheduled, live ones first.
///
/// The list is at most 30 seconds old.
///
/// (reference/chat.md#youtube)
///
/// # Errors
/// 401 or 403 by the access rule; 409 when the account is not connected to YouTube or must connect again; 429
/// when YouTube asks for fewer calls.
#[api_core::operation]
pub async fn youtube_active_streams(cx: &Cx) -> Result<Vec<YoutubeStream>> {
    let caller = cx.authorize(&YOUTUBE_ACTIVE_STREAMS).await?;
    streams::of(cx, caller.account).await
}
