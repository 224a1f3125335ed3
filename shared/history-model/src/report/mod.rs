//! Report of a stream session (reference/history.md#reports).

mod build;
mod changes;
mod chatters;
mod erasure;
mod events;
mod head;
mod lines;
mod moderation;
pub mod statements;
mod time;
mod uses;
mod viewers;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::clock::{serialize_optional_rfc3339, serialize_rfc3339};
use uuid::Uuid;

pub use build::{EmoteDay, Made, StreamFigures, build, make};
pub use erasure::{
    REPORT_NAMES_CHATTER, REPORT_WITHOUT_CHATTER, STREAM_NAMES_CHATTER, STREAM_WITHOUT_CHATTER,
    forget_chatter, forget_erased,
};
pub use moderation::{forget_moderated, note_removal};

/// Session in lists: the session and its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRow {
    /// Id of the session, which is also that of its report.
    pub id: Uuid,
    /// `single`, or `multi` when broadcasts of two platforms overlapped.
    pub session_type: String,
    /// Platforms, sorted.
    pub platforms: Vec<String>,
    /// Newest title.
    pub title: Option<String>,
    /// Newest category.
    pub category: Option<String>,
    /// Start of the first broadcast.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub started_at: DateTime<Utc>,
    /// End of the last broadcast, `None` while live.
    #[serde(serialize_with = "serialize_optional_rfc3339")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Seconds from start to end, `None` while live.
    pub duration_secs: Option<i64>,
    /// Largest sum of the platforms' viewers in one minute, `None` without a count of viewers.
    pub peak_viewers: Option<i64>,
    /// Average of the sums, with two decimals.
    pub avg_viewers: Option<f64>,
    /// Chat lines of all platforms.
    pub total_messages: i64,
    /// People who wrote, counted per platform.
    pub unique_chatters: Option<i64>,
    /// Follows during the session.
    pub new_followers: Option<i64>,
    /// New subscriptions and memberships, without gifts and renewals.
    pub new_subscribers: Option<i64>,
    /// True until the session is closed.
    pub is_live: bool,
}

/// Report of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The session's row.
    #[serde(flatten)]
    pub session: SessionRow,
    /// Broadcasts by start.
    pub streams: Vec<Stream>,
    /// Spans of one category by start.
    pub categories: Vec<CategorySpan>,
    /// Sums of events.
    pub totals: Totals,
    /// Largest number of chat lines of all platforms in one minute.
    pub messages_per_minute_peak: i64,
    /// People with the largest numbers of stored lines, at most [`MAX_TOP`].
    pub top_chatters: Vec<Chatter>,
    /// Emotes by use, at most [`MAX_TOP`].
    pub top_emotes: Vec<EmoteCount>,
    /// Animated pictures by use, at most [`MAX_TOP`].
    pub top_gifs: Vec<GifCount>,
    /// Actions of moderators.
    pub moderation: Moderation,
    /// Songs that began during the session, in order.
    pub music: Vec<Track>,
    /// Moments for charts, in order.
    pub chart_markers: Vec<ChartMarker>,
    /// Number of events of each type.
    pub events_by_type: BTreeMap<String, i64>,
}

/// Largest number of entries of a top list.
pub const MAX_TOP: usize = 20;

/// One broadcast on one platform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// Platform.
    pub platform: String,
    /// The platform's id of the broadcast, or one of ours when the platform has none.
    pub broadcast_id: String,
    /// Newest title.
    pub title: Option<String>,
    /// Newest category.
    pub category: Option<String>,
    /// Start.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub started_at: DateTime<Utc>,
    /// End, `None` while on air.
    #[serde(serialize_with = "serialize_optional_rfc3339")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Largest number of viewers in one minute.
    pub peak_viewers: Option<i64>,
    /// Average number of viewers, with two decimals.
    pub avg_viewers: Option<f64>,
}

/// Span in which a category was set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CategorySpan {
    /// Name of the category.
    pub name: String,
    /// Start.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub started_at: DateTime<Utc>,
    /// Length in seconds.
    pub duration_secs: i64,
}

/// Sums of events of all platforms.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// New followers.
    pub follows: i64,
    /// New subscriptions and memberships.
    pub subs: i64,
    /// Subscriptions and memberships that were given.
    pub gift_subs: i64,
    /// Renewals and milestones.
    pub resubs: i64,
    /// Bits of cheers.
    pub cheers_bits: i64,
    /// Tips by currency.
    pub tips: Vec<Tip>,
    /// Raids that arrived.
    pub raids_in: i64,
    /// Viewers of these raids.
    pub raid_viewers: i64,
    /// Redemptions of rewards.
    pub redemptions: i64,
    /// Super Chats and Super Stickers.
    pub superchats: i64,
}

/// Sum of tips in one currency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tip {
    /// ISO 4217.
    pub currency: String,
    /// Decimal amount in the currency's main unit.
    pub amount: String,
}

/// Person with the number of stored lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chatter {
    /// Platform.
    pub platform: String,
    /// The platform's id of the person, `None` in shared reports.
    pub platform_user_id: Option<String>,
    /// Login name.
    pub username: String,
    /// Displayed name.
    pub display_name: String,
    /// Picture.
    pub avatar_url: Option<String>,
    /// Stored lines.
    pub message_count: i64,
}

/// Emote with the number of its uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmoteCount {
    /// The provider's id.
    pub id: String,
    /// Name in chat.
    pub name: String,
    /// Provider.
    pub provider: String,
    /// Picture.
    pub url: Option<String>,
    /// Uses.
    pub count: i64,
}

/// Animated picture with the number of its uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GifCount {
    /// The provider's id.
    pub id: String,
    /// Link as it was posted.
    pub url: String,
    /// `tenor` or `giphy`.
    pub provider: String,
    /// Description.
    pub alt: Option<String>,
    /// Uses.
    pub count: i64,
}

/// Numbers of actions of moderators.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Moderation {
    /// Bans without an end.
    pub bans: i64,
    /// Bans with an end.
    pub timeouts: i64,
    /// Lines that were removed one by one.
    pub deletions: i64,
}

/// Song that began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Title.
    pub title: String,
    /// Artists as one text.
    pub artist: String,
    /// Start.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub played_at: DateTime<Utc>,
}

/// Moment for charts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChartMarker {
    /// Time.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub at: DateTime<Utc>,
    /// Kind.
    #[serde(rename = "type")]
    pub kind: MarkerKind,
    /// Text beside the marker: the new title or category, a number. Never a person's name.
    pub label: Option<String>,
}

/// Kind of a moment for charts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkerKind {
    /// New title.
    TitleChange,
    /// New category.
    CategoryChange,
    /// Raid that arrived.
    Raid,
    /// Hype train that began.
    HypeTrain,
    /// Clip that was made.
    Clip,
    /// Commercial break that began.
    AdBreak,
}

/// Figures of one minute on one platform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Start of the minute.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub at: DateTime<Utc>,
    /// Platform.
    pub platform: String,
    /// Viewers, `None` when none were seen.
    pub viewer_count: Option<i64>,
    /// Chat lines.
    pub message_count: i64,
    /// People who wrote.
    pub unique_chatters: i64,
    /// Follows.
    pub follower_delta: i64,
}

impl Report {
    /// The report as everybody with a link sees it: without the platforms' ids of chatters, and without their
    /// pictures, whose addresses may contain the ids (reference/history.md#shared-reports).
    #[must_use]
    pub fn shared(mut self) -> Self {
        for chatter in &mut self.top_chatters {
            chatter.platform_user_id = None;
            chatter.avatar_url = None;
        }
        self
    }
}
