//! Chats of live broadcasts (reference/platforms.md#live-chat), and the hub that announces new videos
//! (reference/platforms.md#hub).

use std::time::Duration;

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{YoutubeClient, checked};
use crate::{
    Result,
    http::{Answer, authorization},
};
use shared::{config::platforms::BaseUrl, secret::Secret};

/// Messages of one page: as many as fit into the longest response that is read.
const PAGE_SIZE: &str = "500";
/// Shortest pause between two pages, whatever YouTube states.
const MIN_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(120);
/// Duration of a subscription at the hub.
pub const FEED_LEASE: Duration = Duration::from_secs(5 * 24 * 3600);

/// Reasons for which a chat can no longer be read.
const OVER_REASONS: [&str; 3] = ["liveChatEnded", "liveChatDisabled", "liveChatNotFound"];
/// Reasons for which a page does not exist.
const PAGE_REASONS: [&str; 2] = ["pageTokenInvalid", "invalidPageToken"];

/// Result of reading a chat.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveChat {
    /// A page of messages.
    Page(LiveChatPage),
    /// The chat has ended, or is switched off.
    Over,
    /// The page no longer exists: only the newest messages are available.
    PageGone,
}

/// Messages of a chat, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveChatPage {
    /// `liveChatMessage` resources as YouTube returns them.
    pub items: Vec<Value>,
    /// Token of the next page; `None` when there is none.
    pub next_page_token: Option<String>,
    /// Time to wait before the next page.
    pub pause: Duration,
    /// True when the broadcast has ended.
    pub is_offline: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Messages {
    #[serde(default)]
    items: Vec<Value>,
    next_page_token: Option<String>,
    polling_interval_millis: Option<u64>,
    offline_at: Option<String>,
}

impl YoutubeClient {
    /// Reads the page of a chat after the page of the token, or the recent messages without a token. Costs
    /// five units of quota.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn live_chat_page(
        &self,
        token: &Secret,
        live_chat_id: &str,
        page_token: Option<&str>,
    ) -> Result<LiveChat> {
        let mut request = self
            .http
            .get(self.config.api_url.endpoint(&["youtube", "v3", "liveChat", "messages"]))
            .query(&[
                ("liveChatId", live_chat_id),
                ("part", "id,snippet,authorDetails"),
                ("maxResults", PAGE_SIZE),
            ])
            .header("Authorization", authorization("Bearer", token)?);
        if let Some(page_token) = page_token {
            request = request.query(&[("pageToken", page_token)]);
        }
        let answer = self.http.send("live_chat_messages", request).await?;
        if let Some(ended) = ended(&answer) {
            return Ok(ended);
        }
        let messages: Messages = checked(answer)?.json()?;
        let stated = Duration::from_millis(messages.polling_interval_millis.unwrap_or(5000));
        Ok(LiveChat::Page(LiveChatPage {
            items: messages.items,
            next_page_token: messages.next_page_token.filter(|token| !token.is_empty()),
            pause: stated.clamp(MIN_PAUSE, MAX_PAUSE),
            is_offline: messages.offline_at.is_some(),
        }))
    }

    /// Requests the delivery of the feed of a channel's videos, signed with `secret`, for [`FEED_LEASE`]. The
    /// hub verifies the callback first.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn subscribe_to_feed(
        &self,
        hub: &BaseUrl,
        callback: &Url,
        channel_id: &str,
        secret: &Secret,
    ) -> Result<()> {
        let form = [
            ("hub.mode", "subscribe"),
            ("hub.topic", feed_topic(channel_id).as_str()),
            ("hub.callback", callback.as_str()),
            ("hub.verify", "async"),
            ("hub.secret", secret.expose()),
            ("hub.lease_seconds", &FEED_LEASE.as_secs().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let request = self.http.post(hub.endpoint(&["subscribe"])).form(&form);
        self.http.send("subscribe_to_feed", request).await?.success(|_body| None)?;
        Ok(())
    }
}

/// Address of the feed of a channel's videos.
#[must_use]
pub fn feed_topic(channel_id: &str) -> String {
    format!("https://www.youtube.com/xml/feeds/videos.xml?channel_id={channel_id}")
}

/// Channel of a feed; `None` for any other address.
#[must_use]
pub fn channel_of_topic(topic: &str) -> Option<String> {
    let url = Url::parse(topic).ok()?;
    let is_feed = matches!(url.scheme(), "http" | "https")
        && url.host_str() == Some("www.youtube.com")
        && matches!(url.path(), "/xml/feeds/videos.xml" | "/feeds/videos.xml");
    let (_, channel) = url.query_pairs().find(|(name, _)| name == "channel_id").filter(|_| is_feed)?;
    (!channel.is_empty()).then(|| channel.into_owned())
}

fn ended(answer: &Answer) -> Option<LiveChat> {
    if !matches!(answer.status, StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND) {
        return None;
    }
    let body = answer.error_body();
    let reason = body["error"]["errors"][0]["reason"].as_str()?;
    if OVER_REASONS.contains(&reason) {
        return Some(LiveChat::Over);
    }
    PAGE_REASONS.contains(&reason).then_some(LiveChat::PageGone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channel_of_topic_accepts_feeds_of_channels_only() {
        assert_eq!(channel_of_topic(&feed_topic("UC1")).as_deref(), Some("UC1"));
        assert_eq!(
            channel_of_topic("https://www.youtube.com/feeds/videos.xml?channel_id=UC1").as_deref(),
            Some("UC1")
        );
        for other in [
            "",
            "https://www.youtube.com/xml/feeds/videos.xml",
            "https://www.youtube.com/xml/feeds/videos.xml?channel_id=",
            "https://example.com/xml/feeds/videos.xml?channel_id=UC1",
            "ftp://www.youtube.com/xml/feeds/videos.xml?channel_id=UC1",
            "https://www.youtube.com/feeds/videos.xml?user=1",
        ] {
            assert_eq!(channel_of_topic(other), None, "{other}");
        }
    }
}
