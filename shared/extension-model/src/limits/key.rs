//! Catalogue of the limits (reference/developer-limits.md#keys).

use std::{fmt, str::FromStr};

const KIB: i64 = 1024;
const MIB: i64 = 1024 * KIB;

/// Limit of a developer or an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LimitKey {
    /// Extensions of a developer.
    MaxExtensions,
    /// Versions of an extension that are not archived.
    MaxVersions,
    /// Members of a team, its owner included.
    MaxTeamMembers,
    /// Active API keys of a developer with permissions of development.
    MaxApiKeys,
    /// Secrets of an extension.
    MaxSecrets,
    /// Storage that an extension's installs share, in bytes.
    StorageGlobalBytes,
    /// Storage of an install, in bytes.
    StorageInstallBytes,
    /// Keys that an extension's installs share.
    StorageKeysGlobal,
    /// Keys of an install.
    StorageKeysInstall,
    /// Size of a stored value or row, in bytes of JSON.
    ValueBytes,
    /// Functions of a version.
    FunctionsMax,
    /// Invocations of an install in a minute.
    InvocationsPerMinute,
    /// Time of a function, in milliseconds.
    FunctionTimeoutMs,
    /// Requests of one invocation.
    FetchesPerInvocation,
    /// Size of a function's result, in bytes of JSON.
    ResponseBytes,
    /// Hosts that a version may reach.
    EgressHosts,
    /// Sockets of an install.
    WsConnections,
    /// Messages of an install to its pages in a second.
    PushPerSecond,
    /// Size of a message to pages, in bytes of JSON.
    PushBytes,
    /// Sounds of a version.
    MaxSoundsPerExtension,
    /// Size of a sound of a version, in bytes.
    MaxSoundFileSize,
    /// Size of all sounds of a version, in bytes.
    MaxSoundStorageBytes,
}

/// Description of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitDefinition {
    /// Name in requests and answers.
    pub key: &'static str,
    /// Text for people.
    pub label: &'static str,
    /// Group in the list of a developer's limits.
    pub category: &'static str,
    /// Value without an override.
    pub default: i64,
    /// Highest value of an override.
    pub max: i64,
    /// True when an extension may have an override of its own.
    pub is_of_extensions: bool,
}

impl LimitKey {
    /// Every limit, in the order of the catalogue.
    pub const ALL: [Self; 22] = [
        Self::MaxExtensions,
        Self::MaxVersions,
        Self::MaxTeamMembers,
        Self::MaxApiKeys,
        Self::MaxSecrets,
        Self::StorageGlobalBytes,
        Self::StorageInstallBytes,
        Self::StorageKeysGlobal,
        Self::StorageKeysInstall,
        Self::ValueBytes,
        Self::FunctionsMax,
        Self::InvocationsPerMinute,
        Self::FunctionTimeoutMs,
        Self::FetchesPerInvocation,
        Self::ResponseBytes,
        Self::EgressHosts,
        Self::WsConnections,
        Self::PushPerSecond,
        Self::PushBytes,
        Self::MaxSoundsPerExtension,
        Self::MaxSoundFileSize,
        Self::MaxSoundStorageBytes,
    ];

    /// Lowest value of an override.
    pub const MIN: i64 = 1;

    /// Returns the description.
    #[must_use]
    pub const fn definition(self) -> LimitDefinition {
        match self {
            Self::MaxExtensions => of_developer("max_extensions", "Extensions", "extensions", 25, 500),
            Self::MaxVersions => of_both("max_versions", "Versions per extension", "extensions", 100, 500),
            Self::MaxTeamMembers => of_developer("max_team_members", "Team members", "account", 10, 500),
            Self::MaxApiKeys => of_developer("max_api_keys", "Active API keys", "account", 20, 200),
            Self::MaxSecrets => of_both("max_secrets", "Secrets per extension", "extensions", 20, 100),
            Self::StorageGlobalBytes => {
                of_both("storage_global_bytes", "Global storage", "storage", 100 * MIB, 10 * KIB * MIB)
            }
            Self::StorageInstallBytes => {
                of_both("storage_install_bytes", "Storage per install", "storage", 10 * MIB, KIB * MIB)
            }
            Self::StorageKeysGlobal => {
                of_both("storage_keys_global", "Global storage keys", "storage", 10_000, 1_000_000)
            }
            Self::StorageKeysInstall => {
                of_both("storage_keys_install", "Storage keys per install", "storage", 1000, 100_000)
            }
            Self::ValueBytes => of_both("value_bytes", "Size of a value", "storage", 64 * KIB, MIB),
            Self::FunctionsMax => of_both("functions_max", "Server functions", "functions", 50, 500),
            Self::InvocationsPerMinute => {
                of_both("invocations_per_minute", "Invocations per minute", "functions", 300, 30_000)
            }
            Self::FunctionTimeoutMs => {
                of_both("function_timeout_ms", "Function timeout", "functions", 30_000, 120_000)
            }
            Self::FetchesPerInvocation => {
                of_both("fetches_per_invocation", "Fetches per invocation", "functions", 10, 100)
            }
            Self::ResponseBytes => {
                of_both("response_bytes", "Size of a response", "functions", MIB, 10 * MIB)
            }
            Self::EgressHosts => of_both("egress_hosts", "Egress hosts", "functions", 20, 200),
            Self::WsConnections => {
                of_both("ws_connections", "WebSocket connections per install", "realtime", 5, 500)
            }
            Self::PushPerSecond => {
                of_both("push_per_second", "Push messages per second", "realtime", 100, 10_000)
            }
            Self::PushBytes => of_both("push_bytes", "Size of a push message", "realtime", 64 * KIB, MIB),
            Self::MaxSoundsPerExtension => {
                of_both("max_sounds_per_extension", "Sounds per extension", "sounds", 50, 200)
            }
            Self::MaxSoundFileSize => {
                of_both("max_sound_file_size", "Size of a sound", "sounds", 10 * MIB, 50 * MIB)
            }
            Self::MaxSoundStorageBytes => {
                of_both("max_sound_storage_bytes", "Size of all sounds", "sounds", 50 * MIB, 50 * MIB)
            }
        }
    }

    /// Returns the name in requests and answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.definition().key
    }

    /// Returns the value without an override.
    #[must_use]
    pub const fn default_value(self) -> i64 {
        self.definition().default
    }
}

const fn of_developer(
    key: &'static str,
    label: &'static str,
    category: &'static str,
    default: i64,
    max: i64,
) -> LimitDefinition {
    LimitDefinition { key, label, category, default, max, is_of_extensions: false }
}

const fn of_both(
    key: &'static str,
    label: &'static str,
    category: &'static str,
    default: i64,
    max: i64,
) -> LimitDefinition {
    LimitDefinition { key, label, category, default, max, is_of_extensions: true }
}

impl fmt::Display for LimitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LimitKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|key| key.as_str() == text).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_keys_have_names_of_their_own_and_defaults_within_their_bounds() {
        for (index, key) in LimitKey::ALL.into_iter().enumerate() {
            let LimitDefinition { key: name, default, max, .. } = key.definition();
            assert_eq!(key as usize, index, "{name} is at its place in the list");
            assert_eq!(name.parse(), Ok(key));
            assert!((LimitKey::MIN..=max).contains(&default), "{name}");
        }
        assert_eq!("max_things".parse::<LimitKey>(), Err(()));
    }
}
