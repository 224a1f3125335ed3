//! Addresses of the providers.

use crate::platforms::{BaseUrl, InvalidBaseUrl, InvalidSetting};

const SEVENTV: (&str, &str) = ("LUMIO_SEVENTV_API_URL", "https://7tv.io");
const BTTV: (&str, &str) = ("LUMIO_BTTV_API_URL", "https://api.betterttv.net");
const FFZ: (&str, &str) = ("LUMIO_FFZ_API_URL", "https://api.frankerfacez.com");
const YOUTUBE: (&str, &str) = ("LUMIO_YOUTUBE_EMOJI_URL", "https://www.gstatic.com");
const KICK: (&str, &str) = ("LUMIO_KICK_EMOTES_URL", "https://kick.com");

/// Where each provider answers that is no platform's API.
#[derive(Debug, Clone)]
pub struct EmotesConfig {
    pub seventv_url: BaseUrl,
    pub bttv_url: BaseUrl,
    pub ffz_url: BaseUrl,
    pub youtube_url: BaseUrl,
    pub kick_url: BaseUrl,
}

impl EmotesConfig {
    pub(in crate::platforms) fn from_lookup(
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<Self, InvalidSetting> {
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
