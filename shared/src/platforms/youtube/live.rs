//! The chats of live broadcasts, and the hub that tells of new videos.

use std::time::Duration;

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{YoutubeClient, checked};
use crate::{
    platforms::{
        BaseUrl, Result,
        http::{Answer, authorization},
    },
    secret::Secret,
};

/// Messages of one page: as many as fit into the longest answer that is read.
const PAGE: &str = "500";
/// The shortest pause that is kept between two pages whatever YouTube says.
const MIN_PAUSE: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(120);
/// How long the hub is asked to deliver.
pub const FEED_LEASE: Duration = Duration::from_secs(5 * 24 * 3600);

/// Reasons for which a chat cannot be read any more.
const OVER_REASONS: [&str; 3] = ["liveChatEnded", "liveChatDisabled", "liveChatNotFound"];
/// Reasons for which a page is not there.
const PAGE_REASONS: [&str; 2] = ["pageTokenInvalid", "invalidPageToken"];

/// A look into a chat.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveChat {
    Page(LiveChatPage),
    /// The chat has ended, or is switched off.
    Over,
    /// There is no such page any more: only the newest ones can be had.
    PageGone,
}

/// Messages of a chat, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveChatPage {
    /// `liveChatMessage` resources as they are.
    pub items: Vec<Value>,
    pub next_page_token: Option<String>,
    /// How long to wait before the next page.
    pub pause: Duration,
    /// The broadcast has ended.
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
    /// A page of a chat: after the page of a token, else the recent ones. Costs five units.
    ///
    /// # Errors
    /// Any [`crate::platforms::PlatformError`].
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
                ("maxResults", PAGE),
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
            pause: stated.clamp(MIN_PAUSE, MAX_BACKOFF),
            is_offline: messages.offline_at.is_some(),
        }))
    }

    /// Asks the hub to deliver the feed of a channel's videos, signed with `secret`, for [`FEED_LEASE`]. The hub asks
    /// the callback first.
    ///
    /// # Errors
    /// Any [`crate::platforms::PlatformError`].
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

/// The feed of a channel's videos.
#[must_use]
pub fn feed_topic(channel_id: &str) -> String {
    format!("https://www.youtube.com/xml/feeds/videos.xml?channel_id={channel_id}")
}

/// The channel whose feed it is; `None` for any other address.
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
    fn only_feeds_of_channels_are_topics() {
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
