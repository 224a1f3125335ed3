//! Control of OBS as the API and the daemon `obs-remote` share it (reference/obs.md).
//!
//! The daemon holds the connections. What it knows of an OBS is in Redis for a time; commands of the API wait in a
//! list of the account until the daemon takes them, each at most once.

mod exchange;
mod relay;
mod state;

use chrono::{DateTime, Utc};
use foundation::crypto::{Keyring, SecretLocation};
use serde::{Deserialize, Serialize};
use shared::{Result, id::AccountId, secret::Secret};
use uuid::Uuid;

pub use exchange::{Asked, COMMAND_TIMEOUT, ObsExchange, TEST_TIMEOUT, Wake};
pub use relay::relay;
pub use state::{MAX_SCENE_NAME_LENGTH, MAX_SCENES, ObsState, OutputState};

/// Port of obs-websocket when none is stored (reference/obs.md#configuration).
pub const DEFAULT_PORT: u16 = 4455;
/// Maximum time to connect to OBS and to identify, in seconds (reference/obs.md#test).
pub const HANDSHAKE_TIMEOUT_SECS: u64 = 10;

/// Command to OBS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum ObsCommand {
    /// Begins the stream.
    StartStream,
    /// Ends the stream.
    StopStream,
    /// Begins the recording.
    StartRecord,
    /// Ends the recording.
    StopRecord,
    /// Puts a scene on air.
    SetScene {
        /// Name of the scene.
        scene: String,
    },
    /// Shows or hides a source of a scene.
    SetSource {
        /// Name of the scene.
        scene: String,
        /// Name of the source.
        source: String,
        /// True to show it.
        visible: bool,
    },
    /// Connects and disconnects again.
    Test,
}

impl ObsCommand {
    /// Name of the command in `obs:command`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::StartStream => "start_stream",
            Self::StopStream => "stop_stream",
            Self::StartRecord => "start_record",
            Self::StopRecord => "stop_record",
            Self::SetScene { .. } => "set_scene",
            Self::SetSource { .. } => "set_source",
            Self::Test => "test",
        }
    }

    /// Scene that the command names.
    #[must_use]
    pub fn scene(&self) -> Option<&str> {
        match self {
            Self::SetScene { scene } | Self::SetSource { scene, .. } => Some(scene),
            _ => None,
        }
    }

    /// Source that the command names, and whether it is to show.
    #[must_use]
    pub fn source(&self) -> Option<(&str, bool)> {
        match self {
            Self::SetSource { source, visible, .. } => Some((source, *visible)),
            _ => None,
        }
    }
}

/// Command that waits for the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObsCall {
    /// Id of the call.
    pub id: Uuid,
    /// Account whose OBS is meant.
    pub account_id: Uuid,
    /// The command.
    #[serde(flatten)]
    pub command: ObsCommand,
    /// Time after which it must not be executed.
    pub expires_at: DateTime<Utc>,
}

/// Outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum ObsReply {
    /// OBS did it.
    Done,
    /// OBS refused it, or the test failed.
    Refused {
        /// Text for people.
        comment: String,
    },
    /// There is no connection to OBS. Nothing was executed.
    NotConnected,
    /// The connection was lost meanwhile. OBS may have done it.
    Lost,
}

/// Encrypts the password of an account.
///
/// # Errors
/// Failure of the cipher.
pub fn seal_password(keyring: &Keyring, account: AccountId, password: &Secret) -> Result<Vec<u8>> {
    keyring.seal(place(&account.to_string()), password)
}

/// Decrypts the password of an account.
///
/// # Errors
/// A key that is not configured, or bytes of another account.
pub fn open_password(keyring: &Keyring, account: AccountId, sealed: &[u8]) -> Result<Secret> {
    keyring.open(place(&account.to_string()), sealed)
}

const fn place(row: &str) -> SecretLocation<'_> {
    SecretLocation { table: "obs_configs", column: "password", row }
}
