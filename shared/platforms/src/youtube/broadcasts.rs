//! Broadcasts of a channel, and the chats that belong to them.

use chrono::{DateTime, SubsecRound, Utc};
use serde::Deserialize;

use super::{YoutubeClient, checked};
use crate::{Result, http::authorization};
use shared::secret::Secret;

/// Size of a page. One page is enough: a channel has few broadcasts that are not over.
const PAGE_SIZE: &str = "50";

/// Broadcast of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    /// Id of the video.
    pub id: String,
    /// Title of the broadcast.
    pub title: String,
    /// State of the broadcast.
    pub status: BroadcastStatus,
    /// Id of the chat; `None` before it exists and after it has ended.
    pub live_chat_id: Option<String>,
    /// Scheduled start.
    pub scheduled_start: Option<DateTime<Utc>>,
    /// Actual start; `None` before.
    pub started_at: Option<DateTime<Utc>>,
}

/// State of a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroadcastStatus {
    /// Not started.
    Upcoming,
    /// Live.
    Live,
    /// Over, or removed.
    Ended,
}

#[derive(Deserialize)]
struct Broadcasts {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    id: String,
    snippet: Snippet,
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snippet {
    title: String,
    live_chat_id: Option<String>,
    scheduled_start_time: Option<DateTime<Utc>>,
    actual_start_time: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    life_cycle_status: String,
}

impl YoutubeClient {
    /// Latest broadcasts of the token's channel, including ended ones. Costs one unit of quota.
    ///
    /// # Errors
    /// Any [`super::PlatformError`].
    pub async fn broadcasts(&self, access_token: &Secret) -> Result<Vec<Broadcast>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["youtube", "v3", "liveBroadcasts"]))
            // `mine` and `broadcastStatus` exclude each other.
            .query(&[("part", "snippet,status"), ("mine", "true"), ("maxResults", PAGE_SIZE)])
            .header("Authorization", authorization("Bearer", access_token)?);
        let found: Broadcasts = checked(self.http.send("live_broadcasts", request).await?)?.json()?;
        Ok(found.items.into_iter().map(Broadcast::from).collect())
    }
}

impl From<Item> for Broadcast {
    fn from(item: Item) -> Self {
        let Item { id, snippet, status } = item;
        let status = match status.life_cycle_status.as_str() {
            "live" | "liveStarting" => BroadcastStatus::Live,
            "complete" | "revoked" => BroadcastStatus::Ended,
            _ => BroadcastStatus::Upcoming,
        };
        Self {
            id,
            title: snippet.title,
            status,
            live_chat_id: snippet.live_chat_id.filter(|id| !id.is_empty()),
            scheduled_start: snippet.scheduled_start_time.map(|at| at.trunc_subsecs(3)),
            started_at: snippet.actual_start_time.map(|at| at.trunc_subsecs(3)),
        }
    }
}
