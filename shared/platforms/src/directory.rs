//! Entries of the public directories of the platforms (reference/platforms.md#public-directories).

use chrono::{DateTime, Utc};

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
