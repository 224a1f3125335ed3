//! Owners of the applications of new connections (reference/connections.md#credential-modes).

use super::{ConnectionKind, CredentialSource};
use crate::platform::Platform;

/// Credential mode of one platform and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialMode {
    /// Platform of the connection.
    pub platform: Platform,
    /// Kind of the connection.
    pub kind: ConnectionKind,
    /// Intended owner of the application.
    pub mode: CredentialSource,
}

/// Credential modes of all platforms and kinds with OAuth. A mode affects new connections only: existing ones
/// keep the application that they were made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialModes {
    modes: Vec<CredentialMode>,
}

impl CredentialModes {
    /// Creates the modes from the defaults and from `lookup`, which returns the mode for a key and its
    /// default. Keys are `twitch` for a channel, `bot_twitch` for a bot.
    pub fn new(mut lookup: impl FnMut(&str, CredentialSource) -> CredentialSource) -> Self {
        let mut modes = Vec::new();
        for kind in [ConnectionKind::Channel, ConnectionKind::Bot] {
            for &platform in kind.platforms() {
                let key = match kind {
                    ConnectionKind::Channel => platform.slug().to_owned(),
                    ConnectionKind::Bot => format!("bot_{platform}"),
                };
                modes.push(CredentialMode { platform, kind, mode: lookup(&key, default(kind, platform)) });
            }
        }
        Self { modes }
    }

    /// Mode of a platform and kind; `None` where there is no OAuth.
    #[must_use]
    pub fn get(&self, kind: ConnectionKind, platform: Platform) -> Option<CredentialSource> {
        let mode = self.modes.iter().find(|mode| mode.kind == kind && mode.platform == platform)?;
        Some(mode.mode)
    }

    /// All modes, channels first.
    #[must_use]
    pub fn all(&self) -> &[CredentialMode] {
        &self.modes
    }
}

impl Default for CredentialModes {
    fn default() -> Self {
        Self::new(|_, default| default)
    }
}

const fn default(kind: ConnectionKind, platform: Platform) -> CredentialSource {
    match (kind, platform) {
        (ConnectionKind::Channel, Platform::Youtube | Platform::Spotify) => CredentialSource::Account,
        _ => CredentialSource::System,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConnectionKind::{Bot, Channel};
    use CredentialSource::{Account, System};
    use Platform::{Discord, Kick, Spotify, Trovo, Twitch, Youtube};

    #[test]
    fn credential_modes_default_to_those_of_the_reference() {
        let modes = CredentialModes::default();
        for (kind, platform, mode) in [
            (Channel, Twitch, Some(System)),
            (Channel, Kick, Some(System)),
            (Channel, Trovo, Some(System)),
            (Channel, Youtube, Some(Account)),
            (Channel, Spotify, Some(Account)),
            (Channel, Discord, None),
            (Bot, Twitch, Some(System)),
            (Bot, Kick, Some(System)),
            (Bot, Trovo, Some(System)),
            (Bot, Youtube, Some(System)),
            (Bot, Spotify, None),
            (Bot, Discord, None),
        ] {
            assert_eq!(modes.get(kind, platform), mode, "{kind} {platform}");
        }
        assert_eq!(modes.all().len(), 9);
    }

    #[test]
    fn credential_modes_are_changed_one_by_one() {
        let modes = CredentialModes::new(|key, default| if key == "bot_kick" { Account } else { default });
        assert_eq!(modes.get(Bot, Kick), Some(Account));
        assert_eq!(modes.get(Channel, Kick), Some(System));
    }
}
