//! Configuration of connections to platforms (reference/connections.md#oauth-flow).

use url::Url;

use super::Reader;
use crate::{
    connection::{CredentialModes, CredentialSource},
    platform::Platform,
};

/// Placeholder for the platform in the address of the callback.
const PLATFORM: &str = "{platform}";

/// Return address of authorizations on platforms, and the owner of the application that they are made with.
#[derive(Debug, Clone)]
pub struct ConnectionsConfig {
    /// Owner of the application of a new connection, by platform and kind.
    pub modes: CredentialModes,
    /// Address to which platforms send browsers back. It contains `{platform}`.
    callback: String,
}

impl ConnectionsConfig {
    /// Address to which the platform sends browsers back: the redirect URI that is registered there for the
    /// application.
    #[must_use]
    pub fn callback(&self, platform: Platform) -> String {
        self.callback.replace(PLATFORM, platform.slug())
    }
}

pub(super) fn read(reader: &mut Reader, public_url: &Url) -> ConnectionsConfig {
    let modes = CredentialModes::new(|key, default| mode(reader, key, default));
    ConnectionsConfig { modes, callback: callback(reader, public_url) }
}

/// Reads `LUMIO_CREDENTIAL_MODE_TWITCH` for the channel, `LUMIO_CREDENTIAL_MODE_BOT_TWITCH` for the bot.
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
    use crate::{config::Config, connection::ConnectionKind};

    fn read(variables: &[(&str, &str)]) -> Result<ConnectionsConfig, Vec<String>> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::from_variables(variables).map(|config| config.connections)
    }

    #[test]
    fn connections_config_reads_modes_of_channels_and_bots() {
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
    fn callback_is_the_public_url_unless_another_is_set() {
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
