//! Emotes of the platforms, and of 7TV, BetterTTV and FrankerFaceZ, which add to them
//! (reference/chat.md#emotes).

mod fetch;
mod kick;
mod providers;
mod youtube;

use serde::{Deserialize, Serialize};

use super::{PlatformError, Result};
use fetch::fetch;
use shared::{
    config::platforms::{BaseUrl, EmotesConfig},
    platform::Platform,
};

/// Emotes that are kept of one response. More are left out.
pub const MAX_EMOTES: usize = 5000;

/// Provider of an emote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EmoteProvider {
    /// Twitch.
    #[serde(rename = "twitch")]
    Twitch,
    /// 7TV.
    #[serde(rename = "7tv")]
    SevenTv,
    /// FrankerFaceZ.
    #[serde(rename = "ffz")]
    Ffz,
    /// BetterTTV.
    #[serde(rename = "bttv")]
    Bttv,
    /// Discord.
    #[serde(rename = "discord")]
    Discord,
    /// YouTube.
    #[serde(rename = "youtube")]
    Youtube,
    /// Kick.
    #[serde(rename = "kick")]
    Kick,
    /// Trovo.
    #[serde(rename = "trovo")]
    Trovo,
}

/// Picture that replaces a word of a chat message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderEmote {
    /// Id at the provider.
    pub id: String,
    /// Word that the picture replaces.
    pub name: String,
    /// Address of the picture.
    pub url: String,
    /// True for a moving picture.
    pub animated: bool,
}

/// Scope of a set of emotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmotesOf<'a> {
    /// Global emotes.
    Everybody,
    /// Emotes of one channel.
    Channel {
        platform: Platform,
        /// Channel as the platform names it.
        id: &'a str,
    },
}

/// Client of the providers that need no credential. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EmoteClient {
    config: EmotesConfig,
    client: reqwest::Client,
}

impl EmoteProvider {
    /// All providers, in the order of responses.
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

    /// Text in responses and keys.
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

    /// True when it has global emotes.
    #[must_use]
    pub const fn is_for_everybody(self) -> bool {
        !matches!(self, Self::Discord)
    }

    /// True when it has emotes of channels of the platform.
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

    /// Emotes of a provider. Empty when it does not know the channel.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` for Twitch, Trovo and Discord, whose own clients return their
    /// emotes.
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
