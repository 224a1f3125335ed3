//! `lumio.config.json` (reference/extensions.md#manifest). The types give the shape. The further rules are
//! checked at upload, so that every stored manifest can be read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    ConfigSchema, Table,
    feeds::{Command, Egress, EventTrigger, Keyword, NodeType, Pattern, Timer},
};
use shared::Result;

/// Permissions that a manifest may ask for (reference/extensions.md#permissions).
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

/// Platforms of a bot module that lists none.
const PLATFORMS: [&str; 4] = ["twitch", "youtube", "kick", "trovo"];

/// A manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Extension that the manifest belongs to.
    pub extension_id: Uuid,
    /// Name, 1 to 255 characters.
    pub name: String,
    /// Description, 1 to 1,000 characters.
    pub description: String,
    /// Kind of extension.
    pub category: Category,
    /// Semantic version.
    pub version: String,
    /// Surfaces with code.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// True when the bundle has a `server.js`.
    #[serde(default)]
    pub server: bool,
    /// Permissions that the account must grant.
    #[serde(default)]
    pub permissions: Vec<String>,
    /// Hosts and ports that handlers may reach.
    #[serde(default)]
    pub egress: ManifestEgress,
    /// Names of fonts that the pages use.
    #[serde(default)]
    pub fonts: Vec<String>,
    /// Visibility that the developer intends; the extension's record decides.
    #[serde(default)]
    pub visibility: Option<Visibility>,
    /// Price that the developer intends; the extension's record decides.
    #[serde(default)]
    pub pricing: Option<Pricing>,
    /// Settings of an install.
    #[serde(default, rename = "config_schema")]
    pub config_schema: ConfigSchema,
    /// Sounds of the bundle.
    #[serde(default)]
    pub sounds: Vec<Sound>,
    /// Tables by name.
    #[serde(default)]
    pub tables: BTreeMap<String, Table>,
    /// Server functions by name.
    #[serde(default)]
    pub functions: BTreeMap<String, Function>,
    /// Section of the category `bot_module`.
    #[serde(default, rename = "bot_module")]
    pub bot_module: Option<BotModule>,
    /// Section of the category `automation_node`.
    #[serde(default, rename = "automation_node")]
    pub automation_node: Option<AutomationNode>,
}

/// Kind of an extension (reference/developers.md#extension-record).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Layer of an overlay.
    Widget,
    /// Handlers of chat messages, events and timers.
    BotModule,
    /// Node of an automation.
    AutomationNode,
    /// Theme.
    Theme,
    /// Integration of another service.
    Integration,
}

/// A surface that the bundle has code for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Page in the overlay editor: `editor.js`.
    Editor,
    /// Layer in an overlay: `layer.js`.
    Layer,
    /// Page for viewers: `interactive.js`.
    Interactive,
}

/// Audience of an extension (reference/developers.md#visibility).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Owner, granted accounts and testers only.
    Private,
    /// Installable by id or slug, not listed.
    Unlisted,
    /// Listed in the store.
    Public,
    /// Listed in the store; needs a verified developer.
    Paid,
    /// Built in.
    System,
}

/// Price of an extension (reference/developers.md#pricing).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pricing {
    /// Kind of price.
    #[serde(rename = "type")]
    pub pricing_type: PricingType,
}

/// Kind of an extension's price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PricingType {
    /// Free of charge.
    Free,
    /// Paid once.
    OneTime,
    /// Paid periodically.
    Subscription,
}

/// Hosts and ports that the handlers may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ManifestEgress {
    /// Host names; a leading `*.` matches one label.
    pub allow_hosts: Vec<String>,
    /// Ports beside 443.
    pub allow_ports: Vec<u16>,
}

/// A sound of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sound {
    /// Unique name.
    pub key: String,
    /// Path in the bundle, below `sounds/`.
    pub file: String,
    /// Label in forms.
    pub label: String,
}

/// A server function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Effect of the function.
    pub kind: FunctionKind,
    /// Export that implements the function. `None`, when `declarative` is absent too, means the export of the
    /// function's own name.
    #[serde(default)]
    pub handler: Option<String>,
    /// Statement in place of code, or null.
    #[serde(default)]
    pub declarative: Option<Value>,
    /// True when only the surface `editor` may call it.
    #[serde(default)]
    pub editor_only: bool,
}

/// Effect of a server function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FunctionKind {
    /// Reads only; permission to read data is enough.
    Query,
    /// Changes data.
    Mutation,
    /// Has other effects.
    Action,
}

/// Triggers of a bot module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BotModule {
    /// Platforms; empty means every platform with chat.
    pub platforms: Vec<String>,
    /// Chat commands.
    pub commands: Vec<Command>,
    /// Words in messages.
    pub keywords: Vec<Keyword>,
    /// Regular expressions on messages.
    pub patterns: Vec<Pattern>,
    /// Events.
    pub events: Vec<EventTrigger>,
    /// Timers.
    pub timers: Vec<Timer>,
    /// Export that gets every message, or null.
    pub moderate: Option<String>,
}

/// An automation node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AutomationNode {
    /// Role of the node in an automation.
    pub node_type: NodeType,
    /// Display name, 1 to 100 characters.
    pub name: String,
    /// Icon, or null.
    #[serde(default)]
    pub icon: Option<String>,
    /// Colour, or null.
    #[serde(default)]
    pub color: Option<String>,
    /// JSON schema of the node's settings.
    #[serde(default)]
    pub input_schema: Value,
    /// JSON schema of the node's output.
    #[serde(default)]
    pub output_schema: Value,
    /// Source of a trigger node's starts; null for other nodes.
    #[serde(default)]
    pub trigger_mode: Option<TriggerMode>,
    /// 10 to 300; null when the node is not polled.
    #[serde(default)]
    pub poll_interval_seconds: Option<u32>,
    /// Export that the node calls.
    pub handler: String,
}

/// Source of a trigger node's starts (reference/extensions.md#automation-node).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TriggerMode {
    /// A webhook starts the handler.
    Webhook,
    /// The handler is called at an interval.
    Polling,
    /// Both.
    Both,
}

impl Manifest {
    /// Reads a stored manifest.
    ///
    /// # Errors
    /// A value of another shape, which the check at upload excludes.
    pub fn stored(value: Value) -> Result<Self> {
        Ok(serde_json::from_value(value)?)
    }

    /// Returns hosts and ports in the form that the runtime reads.
    #[must_use]
    pub fn egress(&self) -> Egress {
        Egress { allow_hosts: self.egress.allow_hosts.clone(), allow_ports: self.egress.allow_ports.clone() }
    }

    /// Keys of settings whose values are secret.
    #[must_use]
    pub fn secret_keys(&self) -> Vec<String> {
        let secret = self.config_schema.fields.iter().filter(|(_, field)| field.secret);
        secret.map(|(key, _)| key.clone()).collect()
    }

    /// True when it asks for permissions, hosts or ports that `earlier` did not, so that accounts must
    /// consent (reference/developers.md#breaking-versions).
    #[must_use]
    pub fn asks_more_than(&self, earlier: &Self) -> bool {
        let is_new = |ours: &[String], theirs: &[String]| ours.iter().any(|asked| !theirs.contains(asked));
        is_new(&self.permissions, &earlier.permissions)
            || is_new(&self.egress.allow_hosts, &earlier.egress.allow_hosts)
            || self.egress.allow_ports.iter().any(|port| !earlier.egress.allow_ports.contains(port))
    }

    /// True when two reviewers must approve it (reference/developers.md#enhanced-review).
    #[must_use]
    pub fn needs_enhanced_review(&self) -> bool {
        self.permissions.iter().any(|permission| matches!(permission.as_str(), "chat:ban" | "chat:delete"))
    }
}

impl BotModule {
    /// Platforms that the module runs on.
    #[must_use]
    pub fn platforms(&self) -> Vec<String> {
        if self.platforms.is_empty() {
            return PLATFORMS.iter().map(|platform| (*platform).to_owned()).collect();
        }
        self.platforms.clone()
    }

    /// Exports that its triggers name, each once.
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
    /// Stored name.
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
    /// Stored name.
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
