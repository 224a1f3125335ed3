//! Channels that are live.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{KickClient, data};
use crate::{LiveStream, Result, http::authorization};
use shared::secret::Secret;

/// Channels that one call may request.
pub const MAX_STREAMS: usize = 50;

#[derive(Deserialize)]
struct Livestream {
    broadcaster_user_id: u64,
    stream_title: Option<String>,
    category: Option<Category>,
    viewer_count: Option<i64>,
    started_at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct Category {
    name: Option<String>,
}

impl KickClient {
    /// Live ones among up to [`MAX_STREAMS`] channels.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn live_streams(&self, token: &Secret, broadcasters: &[&str]) -> Result<Vec<LiveStream>> {
        // One id that is no Kick id must not hide the others.
        let ids = broadcasters.iter().filter_map(|id| id.parse::<u64>().ok());
        let query: Vec<(&str, u64)> = ids.map(|id| ("broadcaster_user_id", id)).collect();
        if query.is_empty() {
            return Ok(Vec::new());
        }
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["public", "v2", "livestreams"]))
            .query(&query)
            .header("Authorization", authorization("Bearer", token)?);
        let found: Vec<Livestream> = data(self.http.send("livestreams", request).await?)?;
        Ok(found.into_iter().map(LiveStream::from).collect())
    }
}

impl From<Livestream> for LiveStream {
    fn from(stream: Livestream) -> Self {
        Self {
            id: stream.broadcaster_user_id.to_string(),
            title: stream.stream_title,
            category: stream.category.and_then(|category| category.name),
            viewer_count: stream.viewer_count,
            like_count: None,
            total_views: None,
            started_at: stream.started_at,
        }
    }
}
