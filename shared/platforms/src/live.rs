//! Live streams.

use chrono::{DateTime, Utc};

/// Broadcast that is live. Fields that the platform does not report are `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveStream {
    /// Channel as the platform names it; the id of the video on YouTube.
    pub id: String,
    /// Title of the broadcast.
    pub title: Option<String>,
    /// Category or game.
    pub category: Option<String>,
    /// Present number of viewers.
    pub viewer_count: Option<i64>,
    /// Number of likes.
    pub like_count: Option<i64>,
    /// Number of views since the start.
    pub total_views: Option<i64>,
    /// Start of the broadcast.
    pub started_at: Option<DateTime<Utc>>,
}
