//! Whose application new connections are made with (A §2.8, credential modes).

use super::{ConnectionKind, CredentialSource};
use crate::platforms::Platform;

/// One platform and kind, and what is intended for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialMode {
    pub platform: Platform,
    pub kind: ConnectionKind,
    pub mode: CredentialSource,
}

/// The mode of every platform and kind that has an OAuth mode. It decides about new connections only: those that
/// stand keep the source that they were made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialModes {
    modes: Vec<CredentialMode>,
}

impl CredentialModes {
    /// The defaults, each overridden by what `lookup` has for it: `twitch` for a channel (flat), `bot_twitch` for a
    /// bot (nested).
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

    /// The mode of a platform and kind; `None` where there is no OAuth mode.
    #[must_use]
    pub fn get(&self, kind: ConnectionKind, platform: Platform) -> Option<CredentialSource> {
        let mode = self.modes.iter().find(|mode| mode.kind == kind && mode.platform == platform)?;
        Some(mode.mode)
    }

    /// Every mode, channels first.
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
    fn the_defaults_are_those_of_the_specification() {
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
    fn a_key_changes_its_own_mode_only() {
        let modes = CredentialModes::new(|key, default| if key == "bot_kick" { Account } else { default });
        assert_eq!(modes.get(Bot, Kick), Some(Account));
        assert_eq!(modes.get(Channel, Kick), Some(System));
    }
}
