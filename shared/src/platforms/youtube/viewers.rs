//! How many watch.

use std::collections::HashMap;

use serde::Deserialize;

use super::{YoutubeClient, checked};
use crate::{
    platforms::{Result, http::authorization},
    secret::Secret,
};

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
    /// A number, as a text; absent when the channel hides it.
    concurrent_viewers: Option<String>,
}

impl YoutubeClient {
    /// How many watch each of these live videos; without those of which YouTube does not tell it. Costs one unit of
    /// quota.
    ///
    /// # Errors
    /// Any [`crate::platforms::PlatformError`].
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
