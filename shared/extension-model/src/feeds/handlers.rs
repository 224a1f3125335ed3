//! Handler code with its permissions, hosts and tables.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::Table;

/// `GET /v1/internal/bot-modules/handlers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandlerFeed {
    /// Installs with code.
    pub installs: Vec<HandlerInstall>,
}

/// An installed bot module with its code (reference/telemetry.md#internal-feeds).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandlerInstall {
    /// Install.
    pub install_id: Uuid,
    /// Extension.
    pub extension_id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
    /// Name of the extension.
    pub extension_name: String,
    /// Version that the install runs.
    pub version: String,
    /// Configuration of the account with the defaults of the manifest: `ctx.config`.
    pub install_config: Map<String, Value>,
    /// False when switched off, killed, or when the version may not run.
    pub enabled: bool,
    /// Platforms that the module runs on.
    pub platforms: Vec<String>,
    /// True when the module moderates messages.
    pub has_moderate: bool,
    /// Exports that triggers name.
    pub handlers: Vec<String>,
    /// Text of `server.js`; null when the version may not run.
    pub handler_code: Option<Arc<str>>,
    /// Version; equal ids have equal code.
    pub version_id: Uuid,
    /// True when the module has timers.
    #[serde(default)]
    pub has_timers: bool,
    /// Permissions that the account granted.
    pub permissions: Vec<String>,
    /// Hosts and ports that the handlers may reach.
    pub egress: Egress,
    /// Tables that the version declares.
    #[serde(default)]
    pub tables: BTreeMap<String, Table>,
    /// Keys of `install_config` whose values are secret.
    #[serde(default)]
    pub secret_keys: Vec<String>,
}

/// Hosts that `ctx.fetch` may reach: exact names, or `*.name` for exactly one further label
/// (reference/extensions.md#egress).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Egress {
    /// Host names.
    pub allow_hosts: Vec<String>,
    /// Ports beside 443.
    pub allow_ports: Vec<u16>,
}

/// `GET /v1/internal/automation-nodes/handlers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeFeed {
    /// Installs with code.
    pub installs: Vec<NodeInstall>,
}

/// An installed automation node with its code (reference/telemetry.md#internal-feeds).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeInstall {
    /// Install.
    pub install_id: Uuid,
    /// Extension.
    pub extension_id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
    /// Name of the extension.
    pub extension_name: String,
    /// Version that the install runs.
    pub version: String,
    /// Configuration of the account with the defaults of the manifest: `ctx.config`.
    pub install_config: Map<String, Value>,
    /// False when switched off, killed, or when the version may not run.
    pub enabled: bool,
    /// Role of the node in an automation.
    pub node_type: NodeType,
    /// Text of `server.js`; null when the version may not run.
    pub handler_code: Option<Arc<str>>,
    /// Export that the node calls.
    pub handler: String,
    /// Version; equal ids have equal code.
    pub version_id: Uuid,
    /// Permissions that the account granted.
    pub permissions: Vec<String>,
    /// Hosts and ports that the handlers may reach.
    pub egress: Egress,
    /// Tables that the version declares.
    #[serde(default)]
    pub tables: BTreeMap<String, Table>,
    /// Keys of `install_config` whose values are secret.
    #[serde(default)]
    pub secret_keys: Vec<String>,
}

/// Role of a node in an automation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    /// Starts the automation.
    Trigger,
    /// Has an effect.
    Action,
    /// Decides on the path.
    Logic,
}

/// `POST /v1/internal/secrets/{extension_id}`: all secrets of an extension, for one batch of invocations.
/// Never written to a disk or a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Secrets {
    /// Decrypted values by name.
    pub secrets: BTreeMap<String, String>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.secrets.keys()).finish()
    }
}
