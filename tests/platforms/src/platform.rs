//! The six platforms and their paths on this server.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A platform of the stand-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    Twitch,
    Youtube,
    Kick,
    Trovo,
    Spotify,
    Discord,
}

impl Platform {
    pub const ALL: [Self; 6] =
        [Self::Twitch, Self::Youtube, Self::Kick, Self::Trovo, Self::Spotify, Self::Discord];

    /// First path segment of this platform.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Twitch => "twitch",
            Self::Youtube => "youtube",
            Self::Kick => "kick",
            Self::Trovo => "trovo",
            Self::Spotify => "spotify",
            Self::Discord => "discord",
        }
    }

    /// Platform of a path.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        path.split('/').nth(1)?.parse().ok()
    }

    /// Default scopes of a user: all that Lumio requests.
    #[must_use]
    pub fn default_scopes(self) -> Vec<String> {
        let scopes: &[&str] = match self {
            Self::Twitch => &[
                "user:read:email",
                "user:read:chat",
                "user:write:chat",
                "user:bot",
                "channel:bot",
                "moderator:read:followers",
                "moderator:manage:banned_users",
                "moderator:manage:chat_messages",
                "channel:read:subscriptions",
                "channel:manage:raids",
                "channel:manage:polls",
                "channel:manage:predictions",
                "bits:read",
                "channel:read:ads",
                "channel:read:goals",
                "channel:read:hype_train",
                "channel:manage:raids",
                "channel:manage:predictions",
                "channel:manage:polls",
                "channel:read:redemptions",
                "channel:manage:redemptions",
                "channel:moderate",
                "channel:manage:broadcast",
                "clips:edit",
            ],
            Self::Youtube => &["openid", "email", "https://www.googleapis.com/auth/youtube.force-ssl"],
            Self::Kick => &[
                "user:read",
                "channel:read",
                "channel:write",
                "chat:write",
                "events:subscribe",
                "moderation:ban",
                "moderation:chat_message:manage",
            ],
            Self::Trovo => &[
                "user_details_self",
                "channel_details_self",
                "chat_send_self",
                "send_to_my_channel",
                "manage_messages",
            ],
            Self::Spotify => &[
                "user-read-playback-state",
                "user-read-currently-playing",
                "user-read-recently-played",
                "user-modify-playback-state",
                "playlist-read-private",
                "playlist-read-collaborative",
            ],
            Self::Discord => &["identify", "email"],
        };
        scopes.iter().map(|scope| (*scope).to_owned()).collect()
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl FromStr for Platform {
    type Err = String;

    fn from_str(slug: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|platform| platform.slug() == slug)
            .ok_or_else(|| format!("`{slug}` is none of twitch, youtube, kick, trovo, spotify, discord"))
    }
}
