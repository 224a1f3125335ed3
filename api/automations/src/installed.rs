//! Automation nodes of the account's installs that run (reference/automations.md#installed-nodes).

use std::collections::HashMap;

use api_core::Result;
use automation_model::{
    graph::{Graph, Installed, Node, NodeDeclaration},
    node_types::{self, Kind},
};
use diesel::{dsl::sql, prelude::*, sql_types::Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::{AutomationNode, Manifest, feeds::NodeType, install_runs};
use serde_json::Value;
use shared::{
    id::AccountId,
    schema::{extension_installs as installs, extension_versions},
};
use uuid::Uuid;

/// Name of the node type of extensions.
const EXTENSION: &str = "extension";
/// Maximum number of installs whose nodes are read.
const MAX_INSTALLS: i64 = 1000;

/// Nodes by install.
#[derive(Debug, Default)]
pub(crate) struct InstalledNodes {
    /// In the order of installation.
    pub order: Vec<Uuid>,
    pub nodes: HashMap<Uuid, AutomationNode>,
}

impl InstalledNodes {
    /// Reads the nodes of all installs of an account.
    pub async fn all(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Self> {
        read(connection, account, None).await
    }

    /// Reads the nodes that a graph of the account uses.
    pub async fn of_graph(
        connection: &mut AsyncPgConnection,
        account: AccountId,
        graph: &Graph,
    ) -> Result<Self> {
        let used: Vec<Uuid> = graph.nodes.iter().filter_map(|node| node.install_id).collect();
        if used.is_empty() {
            return Ok(Self::default());
        }
        read(connection, account, Some(&used)).await
    }

    /// Declarations for the validation of a graph.
    pub fn declared(&self) -> Installed {
        let declaration = |node: &AutomationNode| NodeDeclaration {
            name: node.name.clone(),
            kind: kind(node.node_type),
            input_schema: node.input_schema.clone(),
            output_schema: node.output_schema.clone(),
        };
        self.nodes.iter().map(|(install, node)| (*install, declaration(node))).collect()
    }

    /// Kind of a node; `None` for an unknown type or an install that does not run.
    pub fn kind_of(&self, node: &Node) -> Option<Kind> {
        if node.r#type != EXTENSION {
            return node_types::find(&node.r#type).map(|node_type| node_type.kind);
        }
        self.nodes.get(&node.install_id?).map(|declared| kind(declared.node_type))
    }
}

/// True for a node of an extension.
pub(crate) fn is_of_extension(node: &Node) -> bool {
    node.r#type == EXTENSION
}

/// Kind that a manifest declares.
pub(crate) const fn kind(node_type: NodeType) -> Kind {
    match node_type {
        NodeType::Trigger => Kind::Trigger,
        NodeType::Logic => Kind::Logic,
        NodeType::Action => Kind::Action,
    }
}

async fn read(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    ids: Option<&[Uuid]>,
) -> Result<InstalledNodes> {
    let has_node = sql::<Bool>("jsonb_typeof(extension_versions.manifest -> 'automation_node') = 'object'");
    let is_any = ids.is_none().into_sql::<Bool>();
    let rows: Vec<(Uuid, Value)> = installs::table
        .inner_join(extension_versions::table.on(extension_versions::id.eq(installs::version_id)))
        .filter(installs::account_id.eq(account))
        .filter(is_any.or(installs::id.eq_any(ids.unwrap_or_default())))
        .filter(install_runs())
        .filter(has_node)
        .order((installs::created_at, installs::id))
        .limit(MAX_INSTALLS)
        .select((installs::id, extension_versions::manifest))
        .load(connection)
        .await?;
    let mut found = InstalledNodes::default();
    for (install, manifest) in rows {
        if let Some(node) = node(install, manifest) {
            found.order.push(install);
            found.nodes.insert(install, node);
        }
    }
    Ok(found)
}

/// `None` for an install whose manifest cannot be read; it does not run.
fn node(install: Uuid, manifest: Value) -> Option<AutomationNode> {
    let manifest = Manifest::stored(manifest).inspect_err(|error| {
        tracing::error!(install_id = %install, %error, "the manifest of an install cannot be read");
    });
    manifest.ok()?.automation_node
}
