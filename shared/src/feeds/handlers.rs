//! Handler code and what it may reach.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::extensions::Table;

/// `GET /v1/internal/bot-modules/handlers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandlerFeed {
    pub installs: Vec<HandlerInstall>,
}

/// An installed bot module with its code (B §2.6, handler feed install). The fields after `handler_code` are what the
/// runtime needs beyond B.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandlerInstall {
    pub install_id: Uuid,
    pub extension_id: Uuid,
    pub account_id: Uuid,
    pub extension_name: String,
    pub version: String,
    /// The account's configuration with the defaults of the manifest applied: `ctx.config`.
    pub install_config: Map<String, Value>,
    /// False when switched off, killed, or when no version may run.
    pub enabled: bool,
    pub platforms: Vec<String>,
    pub has_moderate: bool,
    /// The exports that triggers name.
    pub handlers: Vec<String>,
    /// The text of `server.js`; null when no version of it may run.
    pub handler_code: Option<Arc<str>>,
    /// Equal ids are equal code.
    pub version_id: Uuid,
    /// Whether something of it runs again and again.
    #[serde(default)]
    pub has_timers: bool,
    /// What the account granted.
    pub permissions: Vec<String>,
    pub egress: Egress,
    /// The tables that the version declares.
    #[serde(default)]
    pub tables: BTreeMap<String, Table>,
    /// The keys of `install_config` whose values are secret.
    #[serde(default)]
    pub secret_keys: Vec<String>,
}

/// Hosts that `ctx.fetch` may reach (C B2): exact names, or `*.name` for exactly one label more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Egress {
    pub allow_hosts: Vec<String>,
    /// Ports besides 443.
    pub allow_ports: Vec<u16>,
}

/// `GET /v1/internal/automation-nodes/handlers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeFeed {
    pub installs: Vec<NodeInstall>,
}

/// An installed automation node with its code (B §2.6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeInstall {
    pub install_id: Uuid,
    pub extension_id: Uuid,
    pub account_id: Uuid,
    pub extension_name: String,
    pub version: String,
    pub install_config: Map<String, Value>,
    pub enabled: bool,
    pub node_type: NodeType,
    pub handler_code: Option<Arc<str>>,
    /// The export that the node calls.
    pub handler: String,
    pub version_id: Uuid,
    pub permissions: Vec<String>,
    pub egress: Egress,
    /// The tables that the version declares.
    #[serde(default)]
    pub tables: BTreeMap<String, Table>,
    /// The keys of `install_config` whose values are secret.
    #[serde(default)]
    pub secret_keys: Vec<String>,
}

/// What an automation node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    Trigger,
    Action,
    Logic,
}

/// `POST /v1/internal/secrets/{extension_id}`: every secret of an extension, for one batch of invocations. Never
/// written to a disk or a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Secrets {
    pub secrets: BTreeMap<String, String>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.secrets.keys()).finish()
    }
}
