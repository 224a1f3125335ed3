//! Channels that are live.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{TwitchClient, message};
use crate::{LiveStream, Result};
use shared::secret::Secret;

/// Channels that one call may request.
pub const MAX_STREAMS: usize = 100;

#[derive(Deserialize)]
struct Streams {
    data: Vec<Stream>,
}

#[derive(Deserialize)]
struct Stream {
    user_id: String,
    title: Option<String>,
    game_name: Option<String>,
    viewer_count: Option<i64>,
    started_at: Option<DateTime<Utc>>,
}

impl TwitchClient {
    /// Live ones among up to [`MAX_STREAMS`] channels. `client_id` is the application that the token was
    /// issued to.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn live_streams(
        &self,
        client_id: &str,
        token: &Secret,
        broadcasters: &[&str],
    ) -> Result<Vec<LiveStream>> {
        let mut query: Vec<(&str, &str)> = broadcasters.iter().map(|id| ("user_id", *id)).collect();
        query.push(("first", "100"));
        let request = self.http.get(self.config.api_url.endpoint(&["helix", "streams"])).query(&query);
        let request = self.helix(request, token, client_id)?;
        let found: Streams = self.http.send("streams", request).await?.success(message)?.json()?;
        Ok(found.data.into_iter().map(LiveStream::from).collect())
    }
}

impl From<Stream> for LiveStream {
    fn from(stream: Stream) -> Self {
        Self {
            id: stream.user_id,
            title: stream.title,
            category: stream.game_name.filter(|name| !name.is_empty()),
            viewer_count: stream.viewer_count,
            like_count: None,
            total_views: None,
            started_at: stream.started_at,
        }
    }
}
