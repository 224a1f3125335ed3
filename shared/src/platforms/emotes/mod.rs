//! Emotes of platforms and of those who add to them (specification C B13): 7TV, BetterTTV, FrankerFaceZ, and what the
//! platforms publish themselves.

mod config;
mod fetch;
mod kick;
mod providers;
mod youtube;

use serde::{Deserialize, Serialize};

pub use config::EmotesConfig;

use super::{BaseUrl, Platform, PlatformError, Result};
use fetch::fetch;

/// Emotes of one provider that are kept of one answer; more are left out.
pub const MAX_EMOTES: usize = 5000;

/// Whose emote it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EmoteProvider {
    #[serde(rename = "twitch")]
    Twitch,
    #[serde(rename = "7tv")]
    SevenTv,
    #[serde(rename = "ffz")]
    Ffz,
    #[serde(rename = "bttv")]
    Bttv,
    #[serde(rename = "discord")]
    Discord,
    #[serde(rename = "youtube")]
    Youtube,
    #[serde(rename = "kick")]
    Kick,
    #[serde(rename = "trovo")]
    Trovo,
}

/// A picture that stands for a word of a chat message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderEmote {
    pub id: String,
    /// The word.
    pub name: String,
    pub url: String,
    pub animated: bool,
}

/// Where a set is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmotesOf<'a> {
    Everybody,
    Channel {
        platform: Platform,
        /// The channel as the platform names it.
        id: &'a str,
    },
}

/// Calls the providers that need no credential. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EmoteClient {
    config: EmotesConfig,
    client: reqwest::Client,
}

impl EmoteProvider {
    /// Every provider, in the order of answers.
    pub const ALL: [Self; 8] = [
        Self::Twitch,
        Self::SevenTv,
        Self::Ffz,
        Self::Bttv,
        Self::Discord,
        Self::Youtube,
        Self::Kick,
        Self::Trovo,
    ];

    /// The text in answers and keys.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Twitch => "twitch",
            Self::SevenTv => "7tv",
            Self::Ffz => "ffz",
            Self::Bttv => "bttv",
            Self::Discord => "discord",
            Self::Youtube => "youtube",
            Self::Kick => "kick",
            Self::Trovo => "trovo",
        }
    }

    /// Whether it has emotes for everybody.
    #[must_use]
    pub const fn is_for_everybody(self) -> bool {
        !matches!(self, Self::Discord)
    }

    /// Whether it has emotes of channels of a platform.
    #[must_use]
    pub const fn is_for_channels_of(self, platform: Platform) -> bool {
        match self {
            Self::Twitch => matches!(platform, Platform::Twitch),
            Self::SevenTv => matches!(platform, Platform::Twitch | Platform::Youtube | Platform::Kick),
            Self::Bttv => matches!(platform, Platform::Twitch | Platform::Youtube),
            Self::Ffz => matches!(platform, Platform::Twitch),
            Self::Discord => matches!(platform, Platform::Discord),
            // YouTube publishes no emotes of channels.
            Self::Youtube => false,
            Self::Kick => matches!(platform, Platform::Kick),
            Self::Trovo => matches!(platform, Platform::Trovo),
        }
    }
}

impl EmoteClient {
    pub(super) const fn new(config: EmotesConfig, client: reqwest::Client) -> Self {
        Self { config, client }
    }

    /// The emotes of a provider; none when it does not know the channel.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` for Twitch, Trovo and Discord, whose clients are asked instead.
    pub async fn emotes(&self, provider: EmoteProvider, of: EmotesOf<'_>) -> Result<Vec<ProviderEmote>> {
        let mut emotes = match provider {
            EmoteProvider::SevenTv => self.seventv(of).await?,
            EmoteProvider::Bttv => self.bttv(of).await?,
            EmoteProvider::Ffz => self.ffz(of).await?,
            EmoteProvider::Youtube => self.youtube(of).await?,
            EmoteProvider::Kick => self.kick(of).await?,
            EmoteProvider::Twitch => return Err(unsupported(Platform::Twitch)),
            EmoteProvider::Trovo => return Err(unsupported(Platform::Trovo)),
            EmoteProvider::Discord => return Err(unsupported(Platform::Discord)),
        };
        emotes.truncate(MAX_EMOTES);
        Ok(emotes)
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, base: &BaseUrl, path: &[&str]) -> Result<Option<T>> {
        fetch(&self.client, base.endpoint(path)).await
    }
}

fn unsupported(platform: Platform) -> PlatformError {
    PlatformError::Unsupported { platform, action: "emotes without a credential" }
}
