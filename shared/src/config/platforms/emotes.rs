//! Addresses of the emote providers.

use crate::config::platforms::{BaseUrl, InvalidBaseUrl, InvalidSetting};

const SEVENTV: (&str, &str) = ("LUMIO_SEVENTV_API_URL", "https://7tv.io");
const BTTV: (&str, &str) = ("LUMIO_BTTV_API_URL", "https://api.betterttv.net");
const FFZ: (&str, &str) = ("LUMIO_FFZ_API_URL", "https://api.frankerfacez.com");
const YOUTUBE: (&str, &str) = ("LUMIO_YOUTUBE_EMOJI_URL", "https://www.gstatic.com");
const KICK: (&str, &str) = ("LUMIO_KICK_EMOTES_URL", "https://kick.com");

/// Addresses of the emote providers that are not the API of a platform.
#[derive(Debug, Clone)]
pub struct EmotesConfig {
    /// 7TV.
    pub seventv_url: BaseUrl,
    /// BetterTTV.
    pub bttv_url: BaseUrl,
    /// FrankerFaceZ.
    pub ffz_url: BaseUrl,
    /// Website of YouTube, whose emotes are in no API.
    pub youtube_url: BaseUrl,
    /// Website of Kick, whose emotes are in no API.
    pub kick_url: BaseUrl,
}

impl EmotesConfig {
    pub(super) fn from_lookup(lookup: &impl Fn(&str) -> Option<String>) -> Result<Self, InvalidSetting> {
        let url = |(variable, default): (&str, &str)| {
            let text = lookup(variable);
            text.as_deref().unwrap_or(default).parse().map_err(|error: InvalidBaseUrl| InvalidSetting {
                variable: variable.to_owned(),
                reason: error.to_string(),
            })
        };
        Ok(Self {
            seventv_url: url(SEVENTV)?,
            bttv_url: url(BTTV)?,
            ffz_url: url(FFZ)?,
            youtube_url: url(YOUTUBE)?,
            kick_url: url(KICK)?,
        })
    }
}
