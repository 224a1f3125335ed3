//! Node types that an account's graphs may use (reference/automations.md#node-types).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Operation, Result,
    access::{AccountCaller, AccountFeatures, AnyOperation, Grants, account_features},
    graphql::Json,
};
use automation_model::node_types::{self, Kind, NodeType};
use extension_model::AutomationNode;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use serde_json::Value;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::installed::{InstalledNodes, kind};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&AUTOMATION_NODE_TYPES];

/// Name of the type of nodes of extensions.
const EXTENSION: &str = "extension";

/// Role of a node in an automation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationNodeKind {
    /// Starts runs.
    Trigger,
    /// Decides how a run goes on.
    Logic,
    /// Has an effect.
    Action,
}

/// Node type: a built-in one, or the node of an install that runs.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationNodeTypeEntry {
    /// Value of `type` of a node. `extension` for nodes of installs.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub node_type: String,
    /// Role.
    pub kind: AutomationNodeKind,
    /// Display name of a node of an extension. Null for built-in types.
    pub name: Option<String>,
    /// Handles that edges may leave at. Those of branches, which the configuration names, are not among them.
    pub handles: Vec<String>,
    /// JSON Schema of the configuration, or null.
    pub config_schema: Option<Json>,
    /// JSON Schema of the output of a node of an extension, or null.
    pub output_schema: Option<Json>,
    /// Key of the flag of an action, or null.
    pub feature: Option<String>,
    /// False when the flag is off for the account.
    pub enabled: bool,
    /// Install. Null for built-in types.
    pub install_id: Option<Uuid>,
    /// Icon, or null.
    pub icon: Option<String>,
    /// Colour, or null.
    pub color: Option<String>,
}

pub static AUTOMATION_NODE_TYPES: Operation<AccountCaller> =
    Operation::account("automationNodeTypes", AccountPermission::AutomationsRead, Grants::Nothing)
        .feature(Feature::Automations);

/// Lists the node types that graphs of the account may use.
///
/// The built-in ones come first, then the nodes of installs that run, in the order of their installation.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn automation_node_types(cx: &Cx) -> Result<Vec<AutomationNodeTypeEntry>> {
    let caller = cx.authorize(&AUTOMATION_NODE_TYPES).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut installed = InstalledNodes::all(&mut *caller.db().await?, caller.account).await?;
    let built_in = node_types::NODE_TYPES.iter().filter(|known| known.name != EXTENSION);
    let mut entries: Vec<_> = built_in.map(|known| of_built_in(known, &features)).collect();
    for install in std::mem::take(&mut installed.order) {
        if let Some(node) = installed.nodes.remove(&install) {
            entries.push(of_install(install, node, &features));
        }
    }
    Ok(entries)
}

fn of_built_in(known: &NodeType, features: &AccountFeatures) -> AutomationNodeTypeEntry {
    AutomationNodeTypeEntry {
        node_type: known.name.to_owned(),
        kind: known.kind.into(),
        name: None,
        handles: known.handles.iter().map(|handle| (*handle).to_owned()).collect(),
        config_schema: schema(known.config_schema()),
        output_schema: None,
        feature: known.feature.map(str::to_owned),
        enabled: known.feature.is_none_or(|key| features.is_on(key)),
        install_id: None,
        icon: None,
        color: None,
    }
}

fn of_install(install: Uuid, node: AutomationNode, features: &AccountFeatures) -> AutomationNodeTypeEntry {
    let kind = kind(node.node_type);
    let known = node_types::find_of_kind(EXTENSION, kind);
    let feature = known.and_then(|known| known.feature);
    let handles = known.map(|known| known.handles).unwrap_or_default();
    AutomationNodeTypeEntry {
        node_type: EXTENSION.to_owned(),
        kind: kind.into(),
        name: Some(node.name),
        handles: handles.iter().map(|handle| (*handle).to_owned()).collect(),
        config_schema: schema(node.input_schema),
        output_schema: schema(node.output_schema),
        feature: feature.map(str::to_owned),
        enabled: feature.is_none_or(|key| features.is_on(key)),
        install_id: Some(install),
        icon: node.icon,
        color: node.color,
    }
}

fn schema(declared: Value) -> Option<Json> {
    (!declared.is_null()).then_some(Json(declared))
}

impl From<Kind> for AutomationNodeKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Trigger => Self::Trigger,
            Kind::Logic => Self::Logic,
            Kind::Action => Self::Action,
        }
    }
}
