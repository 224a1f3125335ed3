//! Live broadcasts with their number of viewers.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{YoutubeClient, checked};
use crate::{LiveStream, Result, http::authorization};
use shared::secret::Secret;

/// Videos that one call may request.
pub const MAX_VIDEOS: usize = 50;

#[derive(Deserialize)]
struct Videos {
    #[serde(default)]
    items: Vec<Video>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Video {
    id: String,
    snippet: Snippet,
    /// Present for broadcasts only.
    live_streaming_details: Option<LiveStreamingDetails>,
    statistics: Option<Statistics>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snippet {
    title: Option<String>,
    /// `live`, `upcoming` or `none`.
    live_broadcast_content: Option<String>,
}

/// YouTube writes numbers as texts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LiveStreamingDetails {
    actual_start_time: Option<DateTime<Utc>>,
    concurrent_viewers: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statistics {
    like_count: Option<String>,
    view_count: Option<String>,
}

impl YoutubeClient {
    /// Live ones among up to [`MAX_VIDEOS`] videos. Costs one unit of quota.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn live_videos(&self, access_token: &Secret, ids: &[&str]) -> Result<Vec<LiveStream>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["youtube", "v3", "videos"]))
            .query(&[("part", "snippet,liveStreamingDetails,statistics"), ("id", &ids.join(","))])
            .header("Authorization", authorization("Bearer", access_token)?);
        let found: Videos = checked(self.http.send("videos", request).await?)?.json()?;
        let is_live = |video: &Video| video.snippet.live_broadcast_content.as_deref() == Some("live");
        Ok(found.items.into_iter().filter(is_live).map(LiveStream::from).collect())
    }
}

impl From<Video> for LiveStream {
    fn from(video: Video) -> Self {
        let number = |text: Option<String>| text.and_then(|text| text.parse().ok());
        let (viewers, started_at) = match video.live_streaming_details {
            Some(details) => (number(details.concurrent_viewers), details.actual_start_time),
            None => (None, None),
        };
        let (likes, views) = match video.statistics {
            Some(statistics) => (number(statistics.like_count), number(statistics.view_count)),
            None => (None, None),
        };
        Self {
            id: video.id,
            title: video.snippet.title,
            category: None,
            viewer_count: viewers,
            like_count: likes,
            total_views: views,
            started_at,
        }
    }
}
