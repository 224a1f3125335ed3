//! Public data of channels: profile, newest videos and broadcasts. Each call costs one unit of quota. The
//! search costs a hundred times as much and is not used (reference/platforms.md#public-directories).

use chrono::{DateTime, Utc};
use serde::{Deserialize, de::DeserializeOwned};

use super::{YoutubeClient, checked};
use crate::{
    DirectoryPage, ListedChannel, ListedGame, ListedStream, Result,
    directory::{Rows, is_id},
    http::{Answer, authorization, parsed},
    profile::filled,
};
use shared::{platform::Platform, secret::Secret};

/// Channels or videos that one call may request.
pub const MAX_LISTED: usize = 50;

/// Newest videos of a channel that are examined.
const RECENT_UPLOADS: &str = "10";
/// Reasons of a 403 that concern the requested object and not the application.
const OBJECT_REASONS: [&str; 2] = ["playlistItemsNotAccessible", "channelForbidden"];
/// Region of the names of categories. They are the same everywhere, in the language of the caller.
const CATEGORY_REGION: &str = "US";

#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
struct Items<T> {
    /// Absent when there is none.
    #[serde(default)]
    items: Rows<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Channel {
    id: String,
    snippet: ChannelSnippet,
    statistics: Option<Statistics>,
    content_details: Option<ChannelDetails>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChannelSnippet {
    title: Option<String>,
    description: Option<String>,
    /// Handle with its `@`.
    custom_url: Option<String>,
    thumbnails: Option<Thumbnails>,
}

#[derive(Deserialize)]
struct Thumbnails {
    medium: Option<Thumbnail>,
    default: Option<Thumbnail>,
}

#[derive(Deserialize)]
struct Thumbnail {
    url: String,
}

/// YouTube writes numbers as texts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statistics {
    subscriber_count: Option<String>,
    #[serde(default)]
    hidden_subscriber_count: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChannelDetails {
    related_playlists: Option<Playlists>,
}

#[derive(Deserialize)]
struct Playlists {
    uploads: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Upload {
    content_details: UploadDetails,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UploadDetails {
    video_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Video {
    id: String,
    snippet: VideoSnippet,
    live_streaming_details: Option<LiveStreamingDetails>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VideoSnippet {
    channel_id: String,
    channel_title: Option<String>,
    title: Option<String>,
    category_id: Option<String>,
    default_audio_language: Option<String>,
    /// `live`, `upcoming` or `none`.
    live_broadcast_content: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LiveStreamingDetails {
    actual_start_time: Option<DateTime<Utc>>,
    concurrent_viewers: Option<String>,
}

#[derive(Deserialize)]
struct Category {
    id: String,
    snippet: CategorySnippet,
}

#[derive(Deserialize)]
struct CategorySnippet {
    title: String,
}

impl YoutubeClient {
    /// Channels of up to [`MAX_LISTED`] ids. Unknown ones are left out.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn listed_channels(&self, token: &Secret, ids: &[&str]) -> Result<Vec<ListedChannel>> {
        self.channels(token, ("id", &ids.join(","))).await
    }

    /// Channel of a handle; `None` when there is none.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn channel_of_handle(&self, token: &Secret, handle: &str) -> Result<Option<ListedChannel>> {
        let handle = format!("@{}", handle.trim_start_matches('@'));
        Ok(self.channels(token, ("forHandle", &handle)).await?.into_iter().next())
    }

    /// Newest videos of a channel by the playlist of its uploads.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn recent_uploads(&self, token: &Secret, playlist: &str) -> Result<Vec<String>> {
        let query = [("part", "contentDetails"), ("playlistId", playlist), ("maxResults", RECENT_UPLOADS)];
        let uploads: Rows<Upload> = self.items("recent_uploads", "playlistItems", &query, token).await?;
        let videos = uploads.read.into_iter().map(|upload| upload.content_details.video_id);
        Ok(videos.filter(|video| is_id(video)).collect())
    }

    /// Live ones among up to [`MAX_LISTED`] videos.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn streams_of(&self, token: &Secret, videos: &[&str]) -> Result<Vec<ListedStream>> {
        let ids = videos.join(",");
        let query = [("part", "snippet,liveStreamingDetails"), ("id", ids.as_str())];
        let found: Rows<Video> = self.items("streams_of", "videos", &query, token).await?;
        Ok(found.read.into_iter().filter_map(Video::into_listed).collect())
    }

    /// Categories of videos.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn categories(&self, token: &Secret) -> Result<Vec<ListedGame>> {
        let query = [("part", "snippet"), ("regionCode", CATEGORY_REGION)];
        let found: Rows<Category> = self.items("categories", "videoCategories", &query, token).await?;
        let game = |category: Category| ListedGame {
            id: category.id,
            name: category.snippet.title,
            box_art_url: None,
        };
        Ok(found.read.into_iter().map(game).filter_map(ListedGame::plausible).collect())
    }

    async fn channels(&self, token: &Secret, filter: (&str, &str)) -> Result<Vec<ListedChannel>> {
        let query = [("part", "snippet,statistics,contentDetails"), ("maxResults", "50"), filter];
        let found: Rows<Channel> = self.items("listed_channels", "channels", &query, token).await?;
        let channel = |channel: Channel| ListedChannel::from(channel).plausible(Platform::Youtube);
        Ok(found.read.into_iter().filter_map(channel).collect())
    }

    async fn items<T: DeserializeOwned>(
        &self,
        call: &'static str,
        resource: &str,
        query: &[(&str, &str)],
        token: &Secret,
    ) -> Result<Rows<T>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["youtube", "v3", resource]))
            .query(query)
            .header("Authorization", authorization("Bearer", token)?);
        let answer = self.http.send(call, request).await?;
        let is_forbidden = answer.is_forbidden() && !concerns_object(&answer);
        let answer = checked(answer).map_err(|error| error.of_application(is_forbidden))?;
        Ok(answer.json::<Items<T>>()?.items)
    }
}

fn concerns_object(answer: &Answer) -> bool {
    let body = answer.error_body();
    let reason = body["error"]["errors"][0]["reason"].as_str().unwrap_or_default();
    OBJECT_REASONS.contains(&reason)
}

/// Reads the body of a list of videos: the live ones.
pub(crate) fn read_streams(body: &[u8]) -> Result<DirectoryPage<ListedStream>> {
    Ok(DirectoryPage::of(parsed::<Items<Video>>(body)?.items, None, Video::into_listed))
}

impl Video {
    /// Stream of a video that is live.
    fn into_listed(self) -> Option<ListedStream> {
        let is_live = self.snippet.live_broadcast_content.as_deref() == Some("live");
        is_live.then(|| ListedStream::from(self).plausible(Platform::Youtube)).flatten()
    }
}

impl From<Channel> for ListedChannel {
    fn from(channel: Channel) -> Self {
        let picture = channel.snippet.thumbnails.and_then(|pictures| pictures.medium.or(pictures.default));
        let handle = channel.snippet.custom_url.map(|handle| handle.trim_start_matches('@').to_owned());
        let counted = channel.statistics.filter(|statistics| !statistics.hidden_subscriber_count);
        let playlists = channel.content_details.and_then(|details| details.related_playlists);
        Self {
            id: channel.id,
            login: filled(handle),
            display_name: filled(channel.snippet.title),
            avatar_url: filled(picture.map(|picture| picture.url)),
            bio: Some(channel.snippet.description.unwrap_or_default()),
            followers: counted.and_then(|statistics| statistics.subscriber_count?.parse().ok()),
            uploads: playlists.and_then(|playlists| filled(playlists.uploads)),
            ..Self::default()
        }
    }
}

impl From<Video> for ListedStream {
    fn from(video: Video) -> Self {
        let (viewer_count, started_at) = match video.live_streaming_details {
            Some(details) => {
                let viewers = details.concurrent_viewers.and_then(|viewers| viewers.parse().ok());
                (viewers, details.actual_start_time)
            }
            None => (None, None),
        };
        Self {
            channel_id: video.snippet.channel_id,
            display_name: filled(video.snippet.channel_title),
            broadcast_id: Some(video.id),
            title: video.snippet.title,
            game_id: filled(video.snippet.category_id),
            language: filled(video.snippet.default_audio_language).map(|language| language.to_lowercase()),
            viewer_count,
            started_at,
            ..Self::default()
        }
    }
}
