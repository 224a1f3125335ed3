//! Addresses and application credentials of the platforms.

use super::{BaseUrl, Platform, discord, emotes::EmotesConfig, kick, spotify, trovo, twitch, youtube};
use crate::secret::Secret;

/// Twitch accepts EventSub secrets of this many ASCII characters (D §2).
const EVENTSUB_SECRET_LENGTHS: std::ops::RangeInclusive<usize> = 10..=100;

/// One platform: where it answers and who we are there.
#[derive(Debug, Clone)]
pub struct PlatformConfig {
    /// Base of the OAuth addresses that servers call.
    pub auth_url: BaseUrl,
    /// Base of the authorization page, which browsers open.
    pub authorize_url: BaseUrl,
    /// Base of the API addresses.
    pub api_url: BaseUrl,
    /// Our application on the platform; without it every call that needs one fails closed.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<Secret>,
}

/// All six platforms.
#[derive(Debug, Clone)]
pub struct PlatformsConfig {
    pub twitch: PlatformConfig,
    pub youtube: PlatformConfig,
    pub kick: PlatformConfig,
    pub trovo: PlatformConfig,
    pub spotify: PlatformConfig,
    pub discord: PlatformConfig,
    /// Signs the deliveries of our EventSub webhook subscriptions.
    pub twitch_eventsub_secret: Option<Secret>,
    pub emotes: EmotesConfig,
}

impl PlatformsConfig {
    /// Reads `LUMIO_<PLATFORM>_AUTH_URL`, `_AUTHORIZE_URL`, `_API_URL`, `_CLIENT_ID` and `_CLIENT_SECRET` for each platform and
    /// `LUMIO_TWITCH_EVENTSUB_SECRET` from `lookup`. An absent or empty URL means the platform's own address; an
    /// absent or empty credential means that there is none.
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

    /// The settings of a platform.
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

/// A setting that cannot be used. The value is not repeated, it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {reason}")]
pub struct InvalidSetting {
    /// The environment variable.
    pub variable: String,
    /// What it has to be.
    pub reason: String,
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
        Platform::Twitch => (twitch::AUTH_URL, twitch::AUTH_URL, twitch::API_URL),
        Platform::Youtube => (youtube::AUTH_URL, youtube::AUTHORIZE_URL, youtube::API_URL),
        Platform::Kick => (kick::AUTH_URL, kick::AUTH_URL, kick::API_URL),
        Platform::Trovo => (trovo::AUTH_URL, trovo::AUTHORIZE_URL, trovo::API_URL),
        Platform::Spotify => (spotify::AUTH_URL, spotify::AUTH_URL, spotify::API_URL),
        Platform::Discord => (discord::AUTH_URL, discord::AUTH_URL, discord::API_URL),
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
    fn without_variables_the_platforms_themselves_are_called_without_credentials() {
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
    fn variables_are_read_by_platform_and_secrets_are_not_printed() {
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
    fn a_wrong_value_is_reported_with_its_variable() {
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
