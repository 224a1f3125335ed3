//! Platforms and their names.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A platform. Its slug is the same in the database, in REST and in channel names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    /// Twitch.
    Twitch,
    /// YouTube.
    Youtube,
    /// Kick.
    Kick,
    /// Trovo.
    Trovo,
    /// Spotify.
    Spotify,
    /// Discord.
    Discord,
}

impl Platform {
    /// All platforms, in the order of lists.
    pub const ALL: [Self; 6] =
        [Self::Twitch, Self::Youtube, Self::Kick, Self::Trovo, Self::Spotify, Self::Discord];

    /// Those with titles that Lumio sets (reference/platforms.md#titles-and-clips).
    pub const WITH_TITLE: [Self; 3] = [Self::Kick, Self::Trovo, Self::Twitch];

    /// Name in URLs, columns and JSON.
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

    /// Name as a login provider (reference/credentials.md#signing-in): `google` for YouTube, `None` for
    /// Spotify, which is no login provider.
    #[must_use]
    pub fn login_provider(self) -> Option<&'static str> {
        match self {
            Self::Youtube => Some("google"),
            Self::Spotify => None,
            other => Some(other.slug()),
        }
    }

    /// Names of all login providers.
    #[must_use]
    pub fn login_providers() -> Vec<&'static str> {
        Self::ALL.into_iter().filter_map(Self::login_provider).collect()
    }

    /// Platform of a login provider.
    ///
    /// # Errors
    /// [`UnknownLoginProvider`] when no login provider has that name.
    pub fn from_login_provider(provider: &str) -> Result<Self, UnknownLoginProvider> {
        Self::ALL
            .into_iter()
            .find(|platform| platform.login_provider() == Some(provider))
            .ok_or(UnknownLoginProvider)
    }

    /// True when the authorization page takes a PKCE challenge. Kick requires one
    /// (reference/platforms.md#oauth).
    #[must_use]
    pub fn takes_pkce(self) -> bool {
        matches!(self, Self::Youtube | Self::Kick | Self::Spotify | Self::Discord)
    }

    /// Longest chat message in characters; `None` for a platform without chat
    /// (reference/platforms.md#chat-message-limits).
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

    /// Text cut to the length of one chat message, without surrounding whitespace.
    #[must_use]
    pub fn cut_chat_message(self, text: &str) -> String {
        let max = self.chat_message_limit().unwrap_or(usize::MAX);
        text.trim().chars().take(max).collect::<String>().trim_end().to_owned()
    }

    /// Longest time-out in seconds: a day on YouTube, two weeks elsewhere (reference/chat.md#input).
    #[must_use]
    pub fn max_timeout_secs(self) -> u32 {
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

/// Error for a text that names no platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("platform must be one of twitch, youtube, kick, trovo, spotify, discord")]
pub struct UnknownPlatform;

/// Error for a text that names no login provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("provider must be one of twitch, google, kick, trovo, discord")]
pub struct UnknownLoginProvider;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platform_parses_its_slug_which_is_its_json_name() {
        for platform in Platform::ALL {
            assert_eq!(platform.slug().parse(), Ok(platform));
            assert_eq!(serde_json::to_value(platform).unwrap(), platform.slug());
        }
        assert_eq!("google".parse::<Platform>(), Err(UnknownPlatform));
        assert_eq!("Twitch".parse::<Platform>(), Err(UnknownPlatform));
    }

    #[test]
    fn login_providers_name_youtube_google_and_exclude_spotify() {
        assert_eq!(Platform::from_login_provider("google"), Ok(Platform::Youtube));
        assert_eq!(Platform::from_login_provider("youtube"), Err(UnknownLoginProvider));
        assert_eq!(Platform::from_login_provider("spotify"), Err(UnknownLoginProvider));
        let providers = Platform::ALL.into_iter().filter_map(Platform::login_provider);
        assert_eq!(providers.collect::<Vec<_>>(), ["twitch", "google", "kick", "trovo", "discord"]);
    }
}
