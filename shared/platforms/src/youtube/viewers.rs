//! Numbers of viewers.

use std::collections::HashMap;

use serde::Deserialize;

use super::{YoutubeClient, checked};
use crate::{Result, http::authorization};
use shared::secret::Secret;

#[derive(Deserialize)]
struct Videos {
    #[serde(default)]
    items: Vec<Video>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Video {
    id: String,
    live_streaming_details: Option<Details>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    /// A number, as a text. Absent when the channel hides it.
    concurrent_viewers: Option<String>,
}

impl YoutubeClient {
    /// Number of viewers of each live video; videos without a reported number are left out. Costs one unit of
    /// quota.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn viewers(&self, access_token: &Secret, videos: &[&str]) -> Result<HashMap<String, i64>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["youtube", "v3", "videos"]))
            .query(&[("part", "liveStreamingDetails"), ("id", &videos.join(","))])
            .header("Authorization", authorization("Bearer", access_token)?);
        let found: Videos = checked(self.http.send("videos", request).await?)?.json()?;
        Ok(found.items.into_iter().filter_map(Video::viewers).collect())
    }
}

impl Video {
    fn viewers(self) -> Option<(String, i64)> {
        let viewers = self.live_streaming_details?.concurrent_viewers?;
        Some((self.id, viewers.parse().ok()?))
    }
}
