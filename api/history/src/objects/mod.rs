//! Objects of both protocols: sessions, samples and reports (reference/history.md#reports).

mod report;

use api_core::{Timestamp, graphql::Int64};
use history_model::report::{Sample, SessionRow};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

pub use report::{
    StreamReport, StreamReportBroadcast, StreamReportCategory, StreamReportChatter, StreamReportEmote,
    StreamReportGif, StreamReportMarker, StreamReportMarkerType, StreamReportModeration, StreamReportTip,
    StreamReportTotals, StreamReportTrack,
};

/// Kind of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamSessionType {
    /// One broadcast at a time.
    Single,
    /// Broadcasts of several platforms at the same time.
    Multi,
}

impl StreamSessionType {
    /// Stored text.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Multi => "multi",
        }
    }

    /// Type of a stored text, of which the table allows these two only.
    fn of(text: &str) -> Self {
        if text == Self::Multi.as_str() { Self::Multi } else { Self::Single }
    }
}

/// Session of streams with its figures. Its report has the same id.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamSession {
    /// Identifier of the session and of its report.
    pub id: Uuid,
    /// Kind.
    pub session_type: StreamSessionType,
    /// Platforms, sorted.
    pub platforms: Vec<String>,
    /// Newest title, or null.
    pub title: Option<String>,
    /// Newest category, or null.
    pub category: Option<String>,
    /// Start of the first broadcast.
    pub started_at: Timestamp,
    /// End of the last broadcast. Null while live.
    pub ended_at: Option<Timestamp>,
    /// Seconds from start to end. Null while live.
    pub duration_secs: Option<Int64>,
    /// Largest sum of the platforms' viewers in one minute, or null.
    pub peak_viewers: Option<Int64>,
    /// Average of these sums, or null.
    pub avg_viewers: Option<f64>,
    /// Chat lines.
    pub total_messages: Int64,
    /// People who wrote, or null.
    pub unique_chatters: Option<Int64>,
    /// Follows, or null.
    pub new_followers: Option<Int64>,
    /// New subscriptions and memberships, or null.
    pub new_subscribers: Option<Int64>,
    /// True until the session is closed.
    pub is_live: bool,
}

/// Figures of one minute on one platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamSample {
    /// Start of the minute.
    pub at: Timestamp,
    /// Platform.
    pub platform: String,
    /// Viewers. Null: none were seen.
    pub viewer_count: Option<Int64>,
    /// Chat lines.
    pub message_count: Int64,
    /// People who wrote.
    pub unique_chatters: Int64,
    /// Follows.
    pub follower_delta: Int64,
}

impl From<SessionRow> for StreamSession {
    fn from(row: SessionRow) -> Self {
        Self {
            id: row.id,
            session_type: StreamSessionType::of(&row.session_type),
            platforms: row.platforms,
            title: row.title,
            category: row.category,
            started_at: row.started_at.into(),
            ended_at: row.ended_at.map(Timestamp::from),
            duration_secs: row.duration_secs.map(Int64),
            peak_viewers: row.peak_viewers.map(Int64),
            avg_viewers: row.avg_viewers,
            total_messages: Int64(row.total_messages),
            unique_chatters: row.unique_chatters.map(Int64),
            new_followers: row.new_followers.map(Int64),
            new_subscribers: row.new_subscribers.map(Int64),
            is_live: row.is_live,
        }
    }
}

impl From<Sample> for StreamSample {
    fn from(sample: Sample) -> Self {
        Self {
            at: sample.at.into(),
            platform: sample.platform,
            viewer_count: sample.viewer_count.map(Int64),
            message_count: Int64(sample.message_count),
            unique_chatters: Int64(sample.unique_chatters),
            follower_delta: Int64(sample.follower_delta),
        }
    }
}
