//! Report of a session (reference/history.md#reports).

use api_core::{
    Timestamp,
    graphql::{Int64, Json},
};
use history_model::report::{
    CategorySpan, ChartMarker, Chatter, EmoteCount, GifCount, MarkerKind, Moderation, Report, Stream, Tip,
    Totals, Track,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{StreamSession, StreamSessionType};

/// Report of a session: its figures and what happened.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct StreamReport {
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
    /// Broadcasts by start.
    pub streams: Vec<StreamReportBroadcast>,
    /// Spans of one category by start.
    pub categories: Vec<StreamReportCategory>,
    /// Sums of events.
    pub totals: StreamReportTotals,
    /// Largest number of chat lines in one minute.
    pub messages_per_minute_peak: Int64,
    /// People with the most stored lines, at most 20.
    pub top_chatters: Vec<StreamReportChatter>,
    /// Emotes by use, at most 20.
    pub top_emotes: Vec<StreamReportEmote>,
    /// Animated pictures by use, at most 20.
    pub top_gifs: Vec<StreamReportGif>,
    /// Actions of moderators.
    pub moderation: StreamReportModeration,
    /// Songs that began during the session, in order.
    pub music: Vec<StreamReportTrack>,
    /// Moments for charts, in order.
    pub chart_markers: Vec<StreamReportMarker>,
    /// Number of events by type.
    pub events_by_type: Json,
}

/// Broadcast of a session on one platform.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportBroadcast {
    /// Platform.
    pub platform: String,
    /// The platform's id of the broadcast, or one of ours.
    pub broadcast_id: String,
    /// Newest title, or null.
    pub title: Option<String>,
    /// Newest category, or null.
    pub category: Option<String>,
    /// Start.
    pub started_at: Timestamp,
    /// End. Null while on air.
    pub ended_at: Option<Timestamp>,
    /// Largest number of viewers in one minute, or null.
    pub peak_viewers: Option<Int64>,
    /// Average number of viewers, or null.
    pub avg_viewers: Option<f64>,
}

/// Span of a session in one category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportCategory {
    /// Name of the category.
    pub name: String,
    /// Start.
    pub started_at: Timestamp,
    /// Length in seconds.
    pub duration_secs: Int64,
}

/// Sums of the events of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportTotals {
    /// New followers.
    pub follows: Int64,
    /// New subscriptions and memberships.
    pub subs: Int64,
    /// Subscriptions and memberships that were given.
    pub gift_subs: Int64,
    /// Renewals and milestones.
    pub resubs: Int64,
    /// Bits of cheers.
    pub cheers_bits: Int64,
    /// Tips by currency.
    pub tips: Vec<StreamReportTip>,
    /// Raids that arrived.
    pub raids_in: Int64,
    /// Viewers of these raids.
    pub raid_viewers: Int64,
    /// Redemptions of rewards.
    pub redemptions: Int64,
    /// Super Chats and Super Stickers.
    pub superchats: Int64,
}

/// Sum of tips in one currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportTip {
    /// Currency, three letters.
    pub currency: String,
    /// Decimal amount in the main unit of the currency.
    pub amount: String,
}

/// Person with a number of stored lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportChatter {
    /// Platform.
    pub platform: String,
    /// The platform's id of the person. Null in a shared report.
    pub platform_user_id: Option<String>,
    /// Login name.
    pub username: String,
    /// Displayed name.
    pub display_name: String,
    /// Picture, or null. Null in a shared report.
    pub avatar_url: Option<String>,
    /// Stored lines.
    pub message_count: Int64,
}

/// Emote with the number of its uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportEmote {
    /// The provider's id.
    pub id: String,
    /// Name in chat.
    pub name: String,
    /// Provider.
    pub provider: String,
    /// Picture, or null.
    pub url: Option<String>,
    /// Uses.
    pub count: Int64,
}

/// Animated picture with the number of its uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportGif {
    /// The provider's id.
    pub id: String,
    /// Link as it was posted.
    pub url: String,
    /// Provider.
    pub provider: String,
    /// Description, or null.
    pub alt: Option<String>,
    /// Uses.
    pub count: Int64,
}

/// Numbers of actions of moderators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportModeration {
    /// Bans without an end.
    pub bans: Int64,
    /// Bans with an end.
    pub timeouts: Int64,
    /// Deleted lines.
    pub deletions: Int64,
}

/// Song of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportTrack {
    /// Title.
    pub title: String,
    /// Artists.
    pub artist: String,
    /// Start.
    pub played_at: Timestamp,
}

/// Moment for charts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamReportMarker {
    /// Time.
    pub at: Timestamp,
    /// Kind.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: StreamReportMarkerType,
    /// Text beside the marker, or null.
    pub label: Option<String>,
}

/// Kind of a moment for charts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamReportMarkerType {
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

impl From<Report> for StreamReport {
    fn from(report: Report) -> Self {
        let session = StreamSession::from(report.session);
        let events = report.events_by_type.into_iter().map(|(name, count)| (name, Value::from(count)));
        Self {
            id: session.id,
            session_type: session.session_type,
            platforms: session.platforms,
            title: session.title,
            category: session.category,
            started_at: session.started_at,
            ended_at: session.ended_at,
            duration_secs: session.duration_secs,
            peak_viewers: session.peak_viewers,
            avg_viewers: session.avg_viewers,
            total_messages: session.total_messages,
            unique_chatters: session.unique_chatters,
            new_followers: session.new_followers,
            new_subscribers: session.new_subscribers,
            is_live: session.is_live,
            streams: report.streams.into_iter().map(Into::into).collect(),
            categories: report.categories.into_iter().map(Into::into).collect(),
            totals: report.totals.into(),
            messages_per_minute_peak: Int64(report.messages_per_minute_peak),
            top_chatters: report.top_chatters.into_iter().map(Into::into).collect(),
            top_emotes: report.top_emotes.into_iter().map(Into::into).collect(),
            top_gifs: report.top_gifs.into_iter().map(Into::into).collect(),
            moderation: report.moderation.into(),
            music: report.music.into_iter().map(Into::into).collect(),
            chart_markers: report.chart_markers.into_iter().map(Into::into).collect(),
            events_by_type: Json(Value::Object(events.collect())),
        }
    }
}

impl From<Stream> for StreamReportBroadcast {
    fn from(stream: Stream) -> Self {
        Self {
            platform: stream.platform,
            broadcast_id: stream.broadcast_id,
            title: stream.title,
            category: stream.category,
            started_at: stream.started_at.into(),
            ended_at: stream.ended_at.map(Timestamp::from),
            peak_viewers: stream.peak_viewers.map(Int64),
            avg_viewers: stream.avg_viewers,
        }
    }
}

impl From<CategorySpan> for StreamReportCategory {
    fn from(span: CategorySpan) -> Self {
        Self { name: span.name, started_at: span.started_at.into(), duration_secs: Int64(span.duration_secs) }
    }
}

impl From<Totals> for StreamReportTotals {
    fn from(totals: Totals) -> Self {
        Self {
            follows: Int64(totals.follows),
            subs: Int64(totals.subs),
            gift_subs: Int64(totals.gift_subs),
            resubs: Int64(totals.resubs),
            cheers_bits: Int64(totals.cheers_bits),
            tips: totals.tips.into_iter().map(Into::into).collect(),
            raids_in: Int64(totals.raids_in),
            raid_viewers: Int64(totals.raid_viewers),
            redemptions: Int64(totals.redemptions),
            superchats: Int64(totals.superchats),
        }
    }
}

impl From<Tip> for StreamReportTip {
    fn from(Tip { currency, amount }: Tip) -> Self {
        Self { currency, amount }
    }
}

impl From<Chatter> for StreamReportChatter {
    fn from(chatter: Chatter) -> Self {
        Self {
            platform: chatter.platform,
            platform_user_id: chatter.platform_user_id,
            username: chatter.username,
            display_name: chatter.display_name,
            avatar_url: chatter.avatar_url,
            message_count: Int64(chatter.message_count),
        }
    }
}

impl From<EmoteCount> for StreamReportEmote {
    fn from(emote: EmoteCount) -> Self {
        let EmoteCount { id, name, provider, url, count } = emote;
        Self { id, name, provider, url, count: Int64(count) }
    }
}

impl From<GifCount> for StreamReportGif {
    fn from(gif: GifCount) -> Self {
        let GifCount { id, url, provider, alt, count } = gif;
        Self { id, url, provider, alt, count: Int64(count) }
    }
}

impl From<Moderation> for StreamReportModeration {
    fn from(moderation: Moderation) -> Self {
        Self {
            bans: Int64(moderation.bans),
            timeouts: Int64(moderation.timeouts),
            deletions: Int64(moderation.deletions),
        }
    }
}

impl From<Track> for StreamReportTrack {
    fn from(Track { title, artist, played_at }: Track) -> Self {
        Self { title, artist, played_at: played_at.into() }
    }
}

impl From<ChartMarker> for StreamReportMarker {
    fn from(ChartMarker { at, kind, label }: ChartMarker) -> Self {
        Self { at: at.into(), kind: kind.into(), label }
    }
}

impl From<MarkerKind> for StreamReportMarkerType {
    fn from(kind: MarkerKind) -> Self {
        match kind {
            MarkerKind::TitleChange => Self::TitleChange,
            MarkerKind::CategoryChange => Self::CategoryChange,
            MarkerKind::Raid => Self::Raid,
            MarkerKind::HypeTrain => Self::HypeTrain,
            MarkerKind::Clip => Self::Clip,
            MarkerKind::AdBreak => Self::AdBreak,
        }
    }
}
