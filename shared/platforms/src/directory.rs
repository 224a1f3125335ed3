//! Entries of the public directories of the platforms (reference/platforms.md#public-directories).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;
use shared::platform::Platform;

use crate::Result;

/// Rows that are read of one response. More are dropped.
const MAX_ROWS: usize = 5_000;
/// Maximum length of an id.
const MAX_ID_LENGTH: usize = 100;
/// Maximum length of the position of a page. A longer one is none.
pub(crate) const MAX_POSITION_LENGTH: usize = 4_000;
/// Highest number of viewers or followers that is passed on.
pub(crate) const MAX_COUNT: i64 = 1_000_000_000;
/// Length of YouTube's ids of channels.
const YOUTUBE_ID_LENGTH: usize = 24;
/// Highest number of digits in the id of a channel on the other platforms.
const MAX_ID_DIGITS: usize = 20;
/// Bounds of the start of a stream, in seconds since 1970: the years 2001 to 2100.
const START_BOUNDS: (i64, i64) = (978_307_200, 4_102_444_800);

/// Stream that a public directory lists. Fields that the platform does not report are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedStream {
    /// Channel as the platform names it. It outlives a renaming.
    pub channel_id: String,
    /// Name in addresses.
    pub login: Option<String>,
    /// Displayed name.
    pub display_name: Option<String>,
    /// Address of the channel's picture.
    pub avatar_url: Option<String>,
    /// Id of the broadcast.
    pub broadcast_id: Option<String>,
    /// Title of the broadcast.
    pub title: Option<String>,
    /// Id of the game or category.
    pub game_id: Option<String>,
    /// Name of the game or category.
    pub game_name: Option<String>,
    /// Language of the broadcast, in lower case.
    pub language: Option<String>,
    /// Present number of viewers.
    pub viewer_count: Option<i64>,
    /// Number of followers or subscribers of the channel.
    pub followers: Option<i64>,
    /// Start of the broadcast.
    pub started_at: Option<DateTime<Utc>>,
}

/// Channel with the parts of its profile that the platform documents. `None`: the call does not report it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedChannel {
    /// Channel as the platform names it. It outlives a renaming.
    pub id: String,
    /// Name in addresses.
    pub login: Option<String>,
    /// Displayed name.
    pub display_name: Option<String>,
    /// Address of the channel's picture.
    pub avatar_url: Option<String>,
    /// Status of the channel at the platform, such as `partner`.
    pub broadcaster_type: Option<String>,
    /// Text of the channel about itself; empty when it has none.
    pub bio: Option<String>,
    /// Addresses that the channel links to.
    pub links: Option<Vec<String>>,
    /// Number of followers or subscribers.
    pub followers: Option<i64>,
    /// Playlist of the channel's videos.
    pub uploads: Option<String>,
}

/// Game or category that a platform lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedGame {
    /// Id on the platform.
    pub id: String,
    /// Name.
    pub name: String,
    /// Address of its picture.
    pub box_art_url: Option<String>,
}

/// Page of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryPage<T> {
    /// Entries, in the order of the platform.
    pub items: Vec<T>,
    /// Position of the next page; `None` after the last one.
    pub next: Option<String>,
}

/// Rows of a response, each read by itself. A row that has not the documented form is dropped and hides no
/// other.
#[derive(Debug)]
pub(super) struct Rows<T> {
    /// Rows that have the documented form.
    pub(super) read: Vec<T>,
    /// Number of all rows.
    number: usize,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { read: Vec::new(), number: 0 }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Rows<T> {
    /// Null is an empty list.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = Option::<Vec<Box<RawValue>>>::deserialize(deserializer)?.unwrap_or_default();
        let read = rows.iter().take(MAX_ROWS).filter_map(|row| serde_json::from_str(row.get()).ok());
        let read: Vec<T> = read.collect();
        let number = rows.len();
        log_dropped(number - read.len());
        Ok(Self { read, number })
    }
}

fn log_dropped(dropped: usize) {
    if dropped > 0 {
        tracing::info!(dropped, "rows of a response have not the documented form");
    }
}

impl<T> DirectoryPage<T> {
    /// Page of the plausible rows. A page without rows is the last one, whatever position it has.
    pub(super) fn of<R>(rows: Rows<R>, position: Option<String>, read: impl Fn(R) -> Option<T>) -> Self {
        let number = rows.number;
        let items: Vec<T> = rows.read.into_iter().filter_map(read).collect();
        let is_position = |position: &String| {
            number > 0 && !position.trim().is_empty() && position.len() <= MAX_POSITION_LENGTH
        };
        Self { items, next: position.filter(is_position) }
    }
}

impl ListedStream {
    /// Stream without values that cannot be; `None` when its channel has no id of the platform.
    pub(super) fn plausible(self, platform: Platform) -> Option<Self> {
        let started_at = self.started_at.filter(|at| {
            let (first, last) = START_BOUNDS;
            (first..=last).contains(&at.timestamp())
        });
        is_channel_id(platform, &self.channel_id).then(|| Self {
            broadcast_id: self.broadcast_id.filter(|id| is_id(id)),
            game_id: self.game_id.filter(|id| is_id(id)),
            viewer_count: self.viewer_count.map(count),
            followers: self.followers.map(count),
            started_at,
            ..self
        })
    }
}

impl ListedChannel {
    /// Channel without values that cannot be; `None` when it has no id of the platform.
    pub(super) fn plausible(self, platform: Platform) -> Option<Self> {
        is_channel_id(platform, &self.id).then(|| Self {
            followers: self.followers.map(count),
            uploads: self.uploads.filter(|id| is_id(id)),
            ..self
        })
    }
}

impl ListedGame {
    /// Game; `None` when it has no id or name.
    pub(super) fn plausible(self) -> Option<Self> {
        (is_id(&self.id) && !self.name.trim().is_empty()).then_some(self)
    }
}

/// Number within what can be.
pub(super) const fn count(number: i64) -> i64 {
    if number < 0 {
        0
    } else if number > MAX_COUNT {
        MAX_COUNT
    } else {
        number
    }
}

/// Returns true for a text without spaces and control characters that is no longer than an id.
pub(super) fn is_id(text: &str) -> bool {
    (1..=MAX_ID_LENGTH).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// True for a text that has the form of the platform's ids of channels: digits, on YouTube `UC` and 22
/// characters.
#[must_use]
pub fn is_channel_id(platform: Platform, text: &str) -> bool {
    if platform == Platform::Youtube {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        return text.len() == YOUTUBE_ID_LENGTH && text.starts_with("UC") && text.bytes().all(is_part);
    }
    (1..=MAX_ID_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}
