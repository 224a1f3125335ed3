//! How connections to platforms are made (specification A §2.8, C §10).

use url::Url;

use super::Reader;
use crate::{
    connections::{CredentialModes, CredentialSource},
    platforms::Platform,
};

/// What stands for the platform in the address of the callback.
const PLATFORM: &str = "{platform}";

/// The way of a browser through a platform's authorization, and whose application it is made with.
#[derive(Debug, Clone)]
pub struct ConnectionsConfig {
    /// Whose application a new connection takes, by platform and kind.
    pub modes: CredentialModes,
    /// Where platforms send browsers back to, with `{platform}` in it.
    callback: String,
}

impl ConnectionsConfig {
    /// Where a platform sends browsers back to: what is registered there as the application's redirect URI.
    #[must_use]
    pub fn callback(&self, platform: Platform) -> String {
        self.callback.replace(PLATFORM, platform.slug())
    }
}

pub(super) fn read(reader: &mut Reader, public_url: &Url) -> ConnectionsConfig {
    let modes = CredentialModes::new(|key, default| mode(reader, key, default));
    ConnectionsConfig { modes, callback: callback(reader, public_url) }
}

/// `LUMIO_CREDENTIAL_MODE_TWITCH` for the channel, `LUMIO_CREDENTIAL_MODE_BOT_TWITCH` for the bot.
fn mode(reader: &mut Reader, key: &str, default: CredentialSource) -> CredentialSource {
    let name = format!("LUMIO_CREDENTIAL_MODE_{}", key.to_uppercase());
    reader.default_of(&name, default.as_str());
    let Some(text) = reader.optional(&name) else { return default };
    CredentialSource::parse(&text).unwrap_or_else(|| {
        reader.mistake(&name, "must be `system` or `account`");
        default
    })
}

fn callback(reader: &mut Reader, public_url: &Url) -> String {
    const NAME: &str = "LUMIO_OAUTH_CALLBACK_URL";
    let own = || {
        let base = public_url.as_str().trim_end_matches('/');
        format!("{base}/v1/connections/oauth/{PLATFORM}/exchange")
    };
    reader.default_of(NAME, own());
    let Some(text) = reader.optional(NAME) else { return own() };
    let is_address = Url::parse(&text.replace(PLATFORM, "twitch"))
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.fragment().is_none());
    if is_address && text.contains(PLATFORM) {
        return text;
    }
    reader.mistake(NAME, "must be an http or https URL with `{platform}` in it");
    own()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, connections::ConnectionKind};

    fn read(variables: &[(&str, &str)]) -> Result<ConnectionsConfig, Vec<String>> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::from_variables(variables).map(|config| config.connections)
    }

    #[test]
    fn modes_are_flat_for_channels_and_nested_for_bots() {
        let config = read(&[
            ("LUMIO_CREDENTIAL_MODE_YOUTUBE", "system"),
            ("LUMIO_CREDENTIAL_MODE_BOT_TWITCH", "account"),
        ])
        .unwrap();
        let mode = |kind, platform| config.modes.get(kind, platform);
        assert_eq!(mode(ConnectionKind::Channel, Platform::Youtube), Some(CredentialSource::System));
        assert_eq!(mode(ConnectionKind::Channel, Platform::Twitch), Some(CredentialSource::System));
        assert_eq!(mode(ConnectionKind::Bot, Platform::Twitch), Some(CredentialSource::Account));
        assert_eq!(
            read(&[("LUMIO_CREDENTIAL_MODE_BOT_KICK", "both")]).unwrap_err(),
            ["LUMIO_CREDENTIAL_MODE_BOT_KICK must be `system` or `account`"]
        );
    }

    #[test]
    fn the_callback_is_ours_unless_another_is_named() {
        let own = read(&[("LUMIO_PUBLIC_URL", "https://api.example/")]).unwrap();
        let expected = "https://api.example/v1/connections/oauth/kick/exchange";
        assert_eq!(own.callback(Platform::Kick), expected);
        let named = ("LUMIO_OAUTH_CALLBACK_URL", "https://app.example/connect/{platform}");
        assert_eq!(
            read(&[named]).unwrap().callback(Platform::Spotify),
            "https://app.example/connect/spotify"
        );
        for wrong in ["https://app.example/connect", "ftp://{platform}", "{platform}"] {
            assert!(read(&[("LUMIO_OAUTH_CALLBACK_URL", wrong)]).is_err(), "{wrong}");
        }
    }
}
