//! Access of a caller to the overlays whose layers a graph shows or hides (reference/overlays.md#access).

use std::collections::HashSet;

use api_core::Result;
use automation_model::graph::{Graph, Node, NodeProblem};
use diesel::{
    sql_query,
    sql_types::{Array, Bool, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use surfaces::object_access::{ObjectAccess, ObjectRole};
use uuid::Uuid;

use super::references::{Found, TOGGLE_LAYER};

/// Overlay that a node names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Overlay(Uuid),
    /// One that a template names at run time.
    Any,
}

/// Refuses new and changed nodes that show or hide layers of an overlay which the caller may not change. `known`
/// are the nodes that the graph had before. An overlay that a template names may be any of the account, whatever
/// another node sets: its node counts as changed at each save.
///
/// # Errors
/// 403 with the first such node in `details.nodes`.
pub(crate) async fn require_access(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    graph: &Graph,
    known: &[Node],
) -> Result<()> {
    let changed = |node: &Node| {
        let named = named(node)?;
        (named == Named::Any || !is_known(node, known)).then_some((node.id, named))
    };
    let changed: Vec<(Uuid, Named)> = graph.nodes.iter().filter_map(changed).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let unreachable = unreachable(connection, access, &changed).await?;
    let refused = changed.iter().find(|(_, named)| match named {
        Named::Overlay(overlay) => unreachable.contains(overlay),
        Named::Any => !unreachable.is_empty(),
    });
    let Some((node, _)) = refused else { return Ok(()) };
    access.kind().require(None, ObjectRole::Editor).map_err(|refusal| {
        let problem = NodeProblem::of_node(*node, refusal.message.clone());
        refusal.with_details(json!({ "nodes": [problem] }))
    })
}

fn named(node: &Node) -> Option<Named> {
    if node.r#type != TOGGLE_LAYER {
        return None;
    }
    let text = node.config.get("overlay_id")?.as_str()?.trim();
    match text.parse() {
        Ok(overlay) => Some(Named::Overlay(overlay)),
        // Anything else without a template cannot run.
        Err(_no_id) => text.contains("{{").then_some(Named::Any),
    }
}

fn is_known(node: &Node, known: &[Node]) -> bool {
    let is_same =
        |other: &Node| (other.id, &other.r#type, &other.config) == (node.id, &node.r#type, &node.config);
    known.iter().any(is_same)
}

/// Overlays of the account among the named ones that the caller may not change.
async fn unreachable(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    changed: &[(Uuid, Named)],
) -> Result<HashSet<Uuid>> {
    let overlays = changed.iter().filter_map(|(_, named)| match named {
        Named::Overlay(overlay) => Some(*overlay),
        Named::Any => None,
    });
    let is_any = changed.iter().any(|(_, named)| *named == Named::Any);
    let sql = format!(
        "SELECT object.id FROM overlays AS object
        WHERE object.account_id = $1 AND (object.id = ANY($3) OR $4) AND {} IS DISTINCT FROM 'editor'",
        access.sql("$2")
    );
    let found: Vec<Found> = sql_query(sql)
        .bind::<SqlUuid, _>(access.account().uuid())
        .bind::<Array<SqlUuid>, _>(access.people().to_vec())
        .bind::<Array<SqlUuid>, _>(overlays.collect::<Vec<_>>())
        .bind::<Bool, _>(is_any)
        .load(connection)
        .await?;
    Ok(found.into_iter().map(|found| found.id).collect())
}
