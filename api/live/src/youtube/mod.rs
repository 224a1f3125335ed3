//! What of YouTube is shown beside a chat: membership tiers and broadcasts (specification B §2.7, §4.7; C B13).

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

/// A tier of the channel's memberships, as it was seen in the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct MembershipTier {
    /// What YouTube writes beside the badge, for example `Member (6 months)`.
    pub tooltip: String,
    pub tier_name: String,
    pub badge_url: Option<String>,
    /// How long somebody has been a member to have it, as the tooltip says.
    pub duration_value: Option<i32>,
    /// `MONTH`, `MONTHS`, `YEAR` or `YEARS`.
    pub duration_unit: Option<String>,
    /// The same in months; 0 for new members.
    pub member_months_min: Option<i32>,
    /// Its place among the tiers, from 0.
    pub sort_order: i32,
    pub first_seen_at: Timestamp,
    pub last_seen_at: Timestamp,
}

/// A broadcast that is live or scheduled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct YoutubeStream {
    pub broadcast_id: String,
    pub title: String,
    pub status: YoutubeStreamStatus,
    pub scheduled_start: Option<Timestamp>,
    pub started_at: Option<Timestamp>,
    /// Null when it is not live, or the channel hides it.
    pub viewer_count: Option<Int64>,
    pub live_chat_id: Option<String>,
}

/// Where a broadcast stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum YoutubeStreamStatus {
    Live,
    Upcoming,
}

/// The tiers of the channel's memberships.
pub static YOUTUBE_MEMBERSHIP_TIERS: Operation<AccountCaller> =
    Operation::account("youtubeMembershipTiers", AccountPermission::ChatRead, Grants::Nothing);

/// Lists the tiers in the order in which they were first seen; none when none was.
///
/// # Errors
/// As the rule.
pub async fn youtube_membership_tiers(cx: &Cx) -> Result<Vec<MembershipTier>> {
    let caller = cx.authorize(&YOUTUBE_MEMBERSHIP_TIERS).await?;
    db::tiers(&mut *caller.timeseries().await?, caller.account).await
}

/// The channel's broadcasts.
pub static YOUTUBE_ACTIVE_STREAMS: Operation<AccountCaller> =
    Operation::account("youtubeActiveStreams", AccountPermission::ChatRead, Grants::Nothing);

/// Lists the broadcasts that are live or scheduled, as YouTube told them within the last half minute.
///
/// # Errors
/// As the rule; 409 when the account is not connected to YouTube or has to be connected again, 429 when YouTube asks for
/// fewer calls.
pub async fn youtube_active_streams(cx: &Cx) -> Result<Vec<YoutubeStream>> {
    let caller = cx.authorize(&YOUTUBE_ACTIVE_STREAMS).await?;
    streams::of(cx, caller.account).await
}
