//! Live state of a channel. A call concerns one channel.

use chrono::DateTime;
use serde::Deserialize;
use serde_json::json;

use super::{TrovoClient, checked};
use crate::{LiveStream, Result};

#[derive(Deserialize)]
struct Channel {
    #[serde(default)]
    is_live: bool,
    live_title: Option<String>,
    category_name: Option<String>,
    current_viewers: Option<i64>,
    /// Seconds since 1970, as a text.
    started_at: Option<String>,
}

impl TrovoClient {
    /// Live broadcast of a channel; `None` when there is none. The call needs an application, and no token.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn live_stream(&self, client_id: &str, channel_id: &str) -> Result<Option<LiveStream>> {
        let request = self
            .http
            .post(self.config.api_url.endpoint(&["openplatform", "channels", "id"]))
            .header("Client-ID", client_id)
            .header("Accept", "application/json")
            .json(&json!({ "channel_id": channel_id }));
        let found: Channel = checked(self.http.send("channel", request).await?)?.json()?;
        let started_at = found.started_at.and_then(|seconds| seconds.parse().ok());
        Ok(found.is_live.then(|| LiveStream {
            id: channel_id.to_owned(),
            title: found.live_title,
            category: found.category_name.filter(|name| !name.is_empty()),
            viewer_count: found.current_viewers,
            like_count: None,
            total_views: None,
            started_at: started_at.and_then(|seconds| DateTime::from_timestamp(seconds, 0)),
        }))
    }
}
