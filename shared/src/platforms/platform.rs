//! The platforms and their names.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A platform that Lumio talks to. Its slug is the same in the database, on REST and in channel names.
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
    /// All platforms in the order in which lists show them.
    pub const ALL: [Self; 6] =
        [Self::Twitch, Self::Youtube, Self::Kick, Self::Trovo, Self::Spotify, Self::Discord];

    /// The name in URLs, columns and JSON.
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

    /// The name as a login provider (C §2.2): Google for YouTube, none for Spotify, which nobody signs in with.
    #[must_use]
    pub fn login_provider(self) -> Option<&'static str> {
        match self {
            Self::Youtube => Some("google"),
            Self::Spotify => None,
            other => Some(other.slug()),
        }
    }

    /// The names of all login providers.
    #[must_use]
    pub fn login_providers() -> Vec<&'static str> {
        Self::ALL.into_iter().filter_map(Self::login_provider).collect()
    }

    /// The platform behind a login provider's name.
    ///
    /// # Errors
    /// When nobody signs in with a provider of that name.
    pub fn from_login_provider(provider: &str) -> Result<Self, UnknownLoginProvider> {
        Self::ALL
            .into_iter()
            .find(|platform| platform.login_provider() == Some(provider))
            .ok_or(UnknownLoginProvider)
    }

    /// Whether the authorization page takes a PKCE challenge; Kick's demands one (D §3, §4, §6, §8).
    #[must_use]
    pub fn takes_pkce(self) -> bool {
        matches!(self, Self::Youtube | Self::Kick | Self::Spotify | Self::Discord)
    }

    /// The longest chat message in characters (C §B13 for the four chat platforms, D §7 for Discord); none where
    /// there is no chat.
    #[must_use]
    pub fn chat_message_limit(self) -> Option<usize> {
        match self {
            Self::Twitch | Self::Kick => Some(500),
            Self::Youtube => Some(200),
            Self::Trovo => Some(300),
            Self::Discord => Some(2000),
            Self::Spotify => None,
        }
    }

    /// As much of a text as one chat message takes, without space around it.
    #[must_use]
    pub fn cut_chat_message(self, text: &str) -> String {
        let longest = self.chat_message_limit().unwrap_or(usize::MAX);
        text.trim().chars().take(longest).collect::<String>().trim_end().to_owned()
    }

    /// The longest time-out in seconds: a day on YouTube, two weeks on Twitch (B §4.7 rule 1, D §2).
    #[must_use]
    pub fn longest_timeout_secs(self) -> u32 {
        if self == Self::Youtube { 24 * 60 * 60 } else { 14 * 24 * 60 * 60 }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl FromStr for Platform {
    type Err = UnknownPlatform;

    fn from_str(slug: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|platform| platform.slug() == slug).ok_or(UnknownPlatform)
    }
}

/// A text that names no platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("platform must be one of twitch, youtube, kick, trovo, spotify, discord")]
pub struct UnknownPlatform;

/// A text that names no login provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("provider must be one of twitch, google, kick, trovo, discord")]
pub struct UnknownLoginProvider;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_read_back_and_are_the_json_names() {
        for platform in Platform::ALL {
            assert_eq!(platform.slug().parse(), Ok(platform));
            assert_eq!(serde_json::to_value(platform).unwrap(), platform.slug());
        }
        assert_eq!("google".parse::<Platform>(), Err(UnknownPlatform));
        assert_eq!("Twitch".parse::<Platform>(), Err(UnknownPlatform));
    }

    #[test]
    fn google_is_youtube_and_nobody_signs_in_with_spotify() {
        assert_eq!(Platform::from_login_provider("google"), Ok(Platform::Youtube));
        assert_eq!(Platform::from_login_provider("youtube"), Err(UnknownLoginProvider));
        assert_eq!(Platform::from_login_provider("spotify"), Err(UnknownLoginProvider));
        let providers = Platform::ALL.into_iter().filter_map(Platform::login_provider);
        assert_eq!(providers.collect::<Vec<_>>(), ["twitch", "google", "kick", "trovo", "discord"]);
    }
}
