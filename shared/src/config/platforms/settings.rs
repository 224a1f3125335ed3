//! Addresses and application credentials of the platforms.

use super::{BaseUrl, EmotesConfig, InvalidSetting};
use crate::{platform::Platform, secret::Secret};

/// Lengths in ASCII characters that Twitch accepts for EventSub secrets (reference/platforms.md#eventsub).
const EVENTSUB_SECRET_LENGTHS: std::ops::RangeInclusive<usize> = 10..=100;

/// Addresses of one platform, and the application of the deployment there.
#[derive(Debug, Clone)]
pub struct PlatformConfig {
    /// Base of the OAuth addresses that servers call.
    pub auth_url: BaseUrl,
    /// Base of the authorization page, which browsers open.
    pub authorize_url: BaseUrl,
    /// Base of the API addresses.
    pub api_url: BaseUrl,
    /// Client id of the application. Without it every call that needs an application fails.
    pub client_id: Option<String>,
    /// Client secret of the application.
    pub client_secret: Option<Secret>,
}

/// Settings of all six platforms, and of the emote providers.
#[derive(Debug, Clone)]
pub struct PlatformsConfig {
    /// Twitch.
    pub twitch: PlatformConfig,
    /// YouTube.
    pub youtube: PlatformConfig,
    /// Kick.
    pub kick: PlatformConfig,
    /// Trovo.
    pub trovo: PlatformConfig,
    /// Spotify.
    pub spotify: PlatformConfig,
    /// Discord.
    pub discord: PlatformConfig,
    /// Key of the signatures on deliveries of our EventSub webhook subscriptions.
    pub twitch_eventsub_secret: Option<Secret>,
    /// Addresses of the emote providers.
    pub emotes: EmotesConfig,
}

impl PlatformsConfig {
    /// Reads `LUMIO_<PLATFORM>_AUTH_URL`, `_AUTHORIZE_URL`, `_API_URL`, `_CLIENT_ID` and `_CLIENT_SECRET` for
    /// each platform and `LUMIO_TWITCH_EVENTSUB_SECRET` from `lookup`. An absent or empty URL takes the
    /// platform's own address; an absent or empty credential is none.
    ///
    /// # Errors
    /// [`InvalidSetting`] with the name of the first variable that is wrong.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, InvalidSetting> {
        let lookup = |name: &str| lookup(name).filter(|value| !value.trim().is_empty());
        Ok(Self {
            twitch: platform_config(Platform::Twitch, &lookup)?,
            youtube: platform_config(Platform::Youtube, &lookup)?,
            kick: platform_config(Platform::Kick, &lookup)?,
            trovo: platform_config(Platform::Trovo, &lookup)?,
            spotify: platform_config(Platform::Spotify, &lookup)?,
            discord: platform_config(Platform::Discord, &lookup)?,
            twitch_eventsub_secret: eventsub_secret(&lookup)?,
            emotes: EmotesConfig::from_lookup(&lookup)?,
        })
    }

    /// Settings of one platform.
    #[must_use]
    pub fn get(&self, platform: Platform) -> &PlatformConfig {
        match platform {
            Platform::Twitch => &self.twitch,
            Platform::Youtube => &self.youtube,
            Platform::Kick => &self.kick,
            Platform::Trovo => &self.trovo,
            Platform::Spotify => &self.spotify,
            Platform::Discord => &self.discord,
        }
    }
}

fn platform_config(
    platform: Platform,
    lookup: &impl Fn(&str) -> Option<String>,
) -> Result<PlatformConfig, InvalidSetting> {
    let variable = |suffix: &str| format!("LUMIO_{}_{suffix}", platform.slug().to_uppercase());
    let base_url = |suffix: &str, default: &str| -> Result<BaseUrl, InvalidSetting> {
        let variable = variable(suffix);
        let text = lookup(&variable);
        text.as_deref()
            .unwrap_or(default)
            .parse()
            .map_err(|error: super::InvalidBaseUrl| InvalidSetting { variable, reason: error.to_string() })
    };
    let (auth_url, authorize_url, api_url) = default_urls(platform);
    Ok(PlatformConfig {
        auth_url: base_url("AUTH_URL", auth_url)?,
        authorize_url: base_url("AUTHORIZE_URL", authorize_url)?,
        api_url: base_url("API_URL", api_url)?,
        client_id: lookup(&variable("CLIENT_ID")),
        client_secret: lookup(&variable("CLIENT_SECRET")).map(Secret::new),
    })
}

fn default_urls(platform: Platform) -> (&'static str, &'static str, &'static str) {
    match platform {
        Platform::Twitch => ("https://id.twitch.tv", "https://id.twitch.tv", "https://api.twitch.tv"),
        Platform::Youtube => {
            ("https://oauth2.googleapis.com", "https://accounts.google.com", "https://www.googleapis.com")
        }
        Platform::Kick => ("https://id.kick.com", "https://id.kick.com", "https://api.kick.com"),
        Platform::Trovo => {
            ("https://open-api.trovo.live", "https://open.trovo.live", "https://open-api.trovo.live")
        }
        Platform::Spotify => {
            ("https://accounts.spotify.com", "https://accounts.spotify.com", "https://api.spotify.com")
        }
        Platform::Discord => ("https://discord.com", "https://discord.com", "https://discord.com/api"),
    }
}

fn eventsub_secret(lookup: &impl Fn(&str) -> Option<String>) -> Result<Option<Secret>, InvalidSetting> {
    const VARIABLE: &str = "LUMIO_TWITCH_EVENTSUB_SECRET";
    let Some(secret) = lookup(VARIABLE) else { return Ok(None) };
    if secret.is_ascii() && EVENTSUB_SECRET_LENGTHS.contains(&secret.len()) {
        return Ok(Some(Secret::new(secret)));
    }
    Err(InvalidSetting { variable: VARIABLE.into(), reason: "must be 10 to 100 ASCII characters".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_config_defaults_to_the_platforms_without_credentials() {
        let config = PlatformsConfig::from_lookup(|_| None).unwrap();
        assert_eq!(config.twitch.api_url.to_string(), "https://api.twitch.tv");
        assert_eq!(config.kick.auth_url.to_string(), "https://id.kick.com");
        assert_eq!(config.kick.authorize_url.to_string(), "https://id.kick.com");
        assert_eq!(config.youtube.authorize_url.to_string(), "https://accounts.google.com");
        assert_eq!(config.trovo.authorize_url.to_string(), "https://open.trovo.live");
        assert!(Platform::ALL.iter().all(|platform| config.get(*platform).client_id.is_none()));
        assert!(config.twitch_eventsub_secret.is_none());
    }

    #[test]
    fn platforms_config_reads_variables_and_prints_no_secret() {
        let config = PlatformsConfig::from_lookup(|name| match name {
            "LUMIO_KICK_API_URL" => Some("http://127.0.0.1:9/kick/api".into()),
            "LUMIO_KICK_CLIENT_ID" => Some("app".into()),
            "LUMIO_KICK_CLIENT_SECRET" => Some("hush-hush".into()),
            "LUMIO_TWITCH_CLIENT_ID" => Some("  ".into()),
            _ => None,
        })
        .unwrap();
        assert_eq!(config.kick.api_url.to_string(), "http://127.0.0.1:9/kick/api");
        assert_eq!(config.kick.client_id.as_deref(), Some("app"));
        assert_eq!(config.twitch.client_id, None);
        assert!(!format!("{config:?}").contains("hush-hush"));
    }

    #[test]
    fn platforms_config_errors_name_the_variable() {
        let wrong = |name: &'static str, value: &'static str| {
            PlatformsConfig::from_lookup(move |asked| (asked == name).then(|| value.to_owned())).unwrap_err()
        };
        let url = wrong("LUMIO_TROVO_AUTH_URL", "trovo");
        assert_eq!(
            url.to_string(),
            "LUMIO_TROVO_AUTH_URL must be an http or https URL without user, query or fragment"
        );
        let secret = wrong("LUMIO_TWITCH_EVENTSUB_SECRET", "short");
        assert_eq!(secret.to_string(), "LUMIO_TWITCH_EVENTSUB_SECRET must be 10 to 100 ASCII characters");
    }
}
