//! `lumio.config.json` (specification C B2). The types are the shape; the rules that a new version must satisfy are
//! checked at upload, so what is stored reads back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::ConfigSchema;
use crate::{
    Result,
    feeds::{Command, Egress, EventTrigger, Keyword, NodeType, Pattern, Timer},
};

/// The permissions that a manifest may ask for (B §5).
pub const HOST_PERMISSIONS: [&str; 11] = [
    "events:read",
    "events:emit",
    "chat:read",
    "chat:send",
    "chat:delete",
    "chat:ban",
    "obs:set_scene",
    "obs:set_source_visible",
    "obs:start_stream",
    "obs:stop_stream",
    "overlay:update_layer",
];

/// Platforms that a bot module without a list of its own runs on.
const PLATFORMS: [&str; 4] = ["twitch", "youtube", "kick", "trovo"];

/// A manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub extension_id: Uuid,
    pub name: String,
    pub description: String,
    pub category: Category,
    pub version: String,
    #[serde(default)]
    pub targets: Vec<Target>,
    #[serde(default)]
    pub server: bool,
    #[serde(default)]
    pub permissions: Vec<String>,
    #[serde(default)]
    pub egress: ManifestEgress,
    #[serde(default)]
    pub fonts: Vec<String>,
    #[serde(default)]
    pub visibility: Option<Visibility>,
    #[serde(default)]
    pub pricing: Option<Pricing>,
    #[serde(default, rename = "config_schema")]
    pub config_schema: ConfigSchema,
    #[serde(default)]
    pub sounds: Vec<Sound>,
    #[serde(default)]
    pub tables: BTreeMap<String, Table>,
    #[serde(default)]
    pub functions: BTreeMap<String, Function>,
    #[serde(default, rename = "bot_module")]
    pub bot_module: Option<BotModule>,
    #[serde(default, rename = "automation_node")]
    pub automation_node: Option<AutomationNode>,
}

/// What kind of extension it is (C B1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Widget,
    BotModule,
    AutomationNode,
    Theme,
    Integration,
}

/// A surface that the bundle has code for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Editor,
    Layer,
    Interactive,
}

/// Who finds and installs an extension (C B1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    Private,
    Unlisted,
    Public,
    Paid,
    System,
}

/// What an extension costs (C B1.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pricing {
    #[serde(rename = "type")]
    pub pricing_type: PricingType,
}

/// How an extension is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PricingType {
    Free,
    OneTime,
    Subscription,
}

/// Hosts that the handlers may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ManifestEgress {
    pub allow_hosts: Vec<String>,
    pub allow_ports: Vec<u16>,
}

/// A sound of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sound {
    pub key: String,
    /// Path in the bundle, below `sounds/`.
    pub file: String,
    pub label: String,
}

/// A table of the extension's own storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    #[serde(default)]
    pub scope: TableScope,
    /// A type name, or an object with `type` and `optional`.
    pub columns: BTreeMap<String, Value>,
}

/// What a row belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableScope {
    #[default]
    Instance,
    Account,
}

/// A server function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub kind: FunctionKind,
    /// The export that it is; that of the function's own name where this is left out.
    #[serde(default)]
    pub handler: Option<String>,
    #[serde(default)]
    pub declarative: Option<Value>,
    #[serde(default)]
    pub editor_only: bool,
}

/// What a server function may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FunctionKind {
    Query,
    Mutation,
    Action,
}

/// The triggers of a bot module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BotModule {
    /// Empty: every platform with chat.
    pub platforms: Vec<String>,
    pub commands: Vec<Command>,
    pub keywords: Vec<Keyword>,
    pub patterns: Vec<Pattern>,
    pub events: Vec<EventTrigger>,
    pub timers: Vec<Timer>,
    /// The export that looks at every message.
    pub moderate: Option<String>,
}

/// An automation node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AutomationNode {
    pub node_type: NodeType,
    pub name: String,
    #[serde(default)]
    pub icon: Option<String>,
    #[serde(default)]
    pub color: Option<String>,
    #[serde(default)]
    pub input_schema: Value,
    #[serde(default)]
    pub output_schema: Value,
    #[serde(default)]
    pub trigger_mode: Option<TriggerMode>,
    /// 10 to 300.
    #[serde(default)]
    pub poll_interval_seconds: Option<u32>,
    pub handler: String,
}

/// How a trigger node learns that something happened (B §4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TriggerMode {
    Webhook,
    Polling,
    Both,
}

impl Manifest {
    /// Reads a stored manifest.
    ///
    /// # Errors
    /// When it does not have the shape, which the check at upload rules out.
    pub fn stored(value: Value) -> Result<Self> {
        Ok(serde_json::from_value(value)?)
    }

    /// What the handlers may reach, as the runtime reads it.
    #[must_use]
    pub fn egress(&self) -> Egress {
        Egress { allow_hosts: self.egress.allow_hosts.clone(), allow_ports: self.egress.allow_ports.clone() }
    }

    /// The settings whose values are secret.
    #[must_use]
    pub fn secret_keys(&self) -> Vec<String> {
        let secret = self.config_schema.fields.iter().filter(|(_, field)| field.secret);
        secret.map(|(key, _)| key.clone()).collect()
    }

    /// Whether it asks for permissions or hosts that `earlier` did not: accounts must consent to it (C B1.3).
    #[must_use]
    pub fn asks_more_than(&self, earlier: &Self) -> bool {
        let is_new = |ours: &[String], theirs: &[String]| ours.iter().any(|asked| !theirs.contains(asked));
        is_new(&self.permissions, &earlier.permissions)
            || is_new(&self.egress.allow_hosts, &earlier.egress.allow_hosts)
            || self.egress.allow_ports.iter().any(|port| !earlier.egress.allow_ports.contains(port))
    }

    /// Whether two reviewers must look at it (B §5).
    #[must_use]
    pub fn needs_enhanced_review(&self) -> bool {
        self.permissions.iter().any(|permission| matches!(permission.as_str(), "chat:ban" | "chat:delete"))
    }
}

impl BotModule {
    /// The platforms it runs on.
    #[must_use]
    pub fn platforms(&self) -> Vec<String> {
        if self.platforms.is_empty() {
            return PLATFORMS.iter().map(|platform| (*platform).to_owned()).collect();
        }
        self.platforms.clone()
    }

    /// The exports that its triggers name, each once.
    #[must_use]
    pub fn handlers(&self) -> Vec<String> {
        let mut handlers: Vec<String> = self
            .commands
            .iter()
            .map(|command| &command.handler)
            .chain(self.keywords.iter().map(|keyword| &keyword.handler))
            .chain(self.patterns.iter().map(|pattern| &pattern.handler))
            .chain(self.events.iter().map(|event| &event.handler))
            .chain(self.timers.iter().map(|timer| &timer.handler))
            .chain(&self.moderate)
            .cloned()
            .collect();
        handlers.sort_unstable();
        handlers.dedup();
        handlers
    }
}

impl Category {
    /// The stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Widget => "widget",
            Self::BotModule => "bot_module",
            Self::AutomationNode => "automation_node",
            Self::Theme => "theme",
            Self::Integration => "integration",
        }
    }
}

impl Visibility {
    /// The stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Unlisted => "unlisted",
            Self::Public => "public",
            Self::Paid => "paid",
            Self::System => "system",
        }
    }
}
