//! What is on air, as platforms tell whoever asks.

use chrono::{DateTime, Utc};

/// A broadcast that is on air. What the platform does not tell is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveStream {
    /// The channel as the platform names it; the id of the video on YouTube.
    pub id: String,
    pub title: Option<String>,
    pub category: Option<String>,
    pub viewer_count: Option<i64>,
    pub like_count: Option<i64>,
    pub total_views: Option<i64>,
    pub started_at: Option<DateTime<Utc>>,
}
