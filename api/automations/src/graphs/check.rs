//! Checks of graphs: of every stored one, and of one that is to run (reference/automations.md#validation).

use std::collections::HashSet;

use api_core::{
    ApiError, Cx, Result,
    access::{AccountFeatures, account_features},
};
use automation_model::{
    graph::{Graph, Installed, NodeProblem, draft_problems, strict_problems},
    node_types,
};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use shared::{id::AccountId, schema::extension_installs as installs};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::{references, registrations};
use crate::installed::InstalledNodes;

/// Maximum number of problems that a refusal lists (reference/automations.md#validation).
const MAX_PROBLEMS: usize = 100;

/// Refuses a graph that is never stored.
///
/// # Errors
/// 400 with the problems in `details.nodes`.
pub(super) fn require_draft(graph: &Graph) -> Result<()> {
    refuse_problems(draft_problems(graph))
}

/// Refuses installs that the account does not have. One that the graph had before may be gone.
///
/// # Errors
/// 404.
pub(super) async fn require_own_installs(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    graph: &Graph,
    known: &HashSet<Uuid>,
) -> Result<()> {
    let used = graph.nodes.iter().filter_map(|node| node.install_id);
    let new: HashSet<Uuid> = used.filter(|install| !known.contains(install)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let own: i64 = installs::table
        .filter(installs::account_id.eq(account).and(installs::id.eq_any(&new)))
        .count()
        .get_result(connection)
        .await?;
    if usize::try_from(own) == Ok(new.len()) {
        return Ok(());
    }
    Err(ApiError::not_found("Extension install not found"))
}

/// Refuses a graph that cannot run: of an automation that is enabled or is to be.
///
/// # Errors
/// 400 with the problems in `details.nodes`; 403 `FEATURE_DISABLED` for an action whose flag is off.
pub(crate) async fn require_runnable(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: AccountId,
    graph: &Graph,
) -> Result<()> {
    let installed = InstalledNodes::of_graph(connection, account, graph).await?;
    let mut problems = checked(graph.clone(), installed.declared()).await?;
    problems.extend(registrations::problems(graph, &installed));
    problems.extend(references::problems(connection, account, graph).await?);
    refuse_problems(problems)?;
    require_actions(&*account_features(cx.state(), account).await?, graph)
}

/// Problems of a graph, found on a thread that serves no other requests: regular expressions are compiled.
async fn checked(graph: Graph, installed: Installed) -> Result<Vec<NodeProblem>> {
    spawn_blocking(move || strict_problems(&graph, &installed)).await.map_err(ApiError::internal)
}

/// Refuses the first node of an action whose flag is off.
fn require_actions(features: &AccountFeatures, graph: &Graph) -> Result<()> {
    for node in &graph.nodes {
        let feature = node_types::find(&node.r#type).and_then(|node_type| node_type.feature);
        let Some(key) = feature else { continue };
        if let Some(reason) = features.off(key) {
            let refusal = reason.refusal(key);
            let problem = NodeProblem::of_node(node.id, refusal.message.clone());
            let details = json!({ "feature": key, "reason": reason, "nodes": [problem] });
            return Err(refusal.with_details(details));
        }
    }
    Ok(())
}

fn refuse_problems(mut problems: Vec<NodeProblem>) -> Result<()> {
    if problems.is_empty() {
        return Ok(());
    }
    problems.truncate(MAX_PROBLEMS);
    Err(ApiError::invalid("Graph is not valid").with_details(json!({ "nodes": problems })))
}
