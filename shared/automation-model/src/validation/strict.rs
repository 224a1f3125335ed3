//! Checks of the graph of an enabled automation.

use std::collections::HashSet;

use super::{allows_config, order::Neighbours};
use crate::{
    conditions::{
        Pattern,
        patterns::{self, Budget},
    },
    config::compile,
    machine::MAX_LOOP_DEPTH,
    model::{Edge, Graph, Installed, Node, NodeProblem},
    node_types::{self, Kind},
    triggers,
};

/// A node, as far as it could be read.
struct Known {
    /// Kind; `None` for a node that cannot be used.
    kind: Option<Kind>,
    /// Handles; `None` when every name is one.
    handles: Option<Vec<String>>,
}

/// Problems for which an automation cannot be enabled (reference/automations.md#nodes): no trigger, cycles,
/// edges into triggers, nodes that no trigger reaches, configurations and handles that are not valid. The
/// graph has no [`draft_problems`](super::draft_problems).
#[must_use]
pub fn strict_problems(graph: &Graph, installed: &Installed) -> Vec<NodeProblem> {
    let mut problems = Vec::new();
    let known: Vec<Known> = graph.nodes.iter().map(|node| read(node, installed, &mut problems)).collect();
    let neighbours = Neighbours::of(graph);
    check_edges(graph, &neighbours, &known, &mut problems);
    let triggers: Vec<usize> =
        (0..known.len()).filter(|node| known[*node].kind == Some(Kind::Trigger)).collect();
    if triggers.is_empty() {
        problems.push(NodeProblem::of_graph("A graph must have a trigger"));
    }
    let order = neighbours.topological(graph);
    let ordered: HashSet<usize> = order.iter().copied().collect();
    let reached = neighbours.reached(graph, triggers.iter().copied());
    for (position, node) in graph.nodes.iter().enumerate() {
        if !ordered.contains(&position) {
            problems.push(NodeProblem::of_node(node.id, "The node is in or behind a cycle"));
        } else if !reached[position] && !triggers.is_empty() {
            problems.push(NodeProblem::of_node(node.id, "No trigger leads to the node"));
        }
    }
    check_loops(graph, &neighbours, &order, &mut problems);
    check_patterns(graph, &mut problems);
    problems
}

fn read(node: &Node, installed: &Installed, problems: &mut Vec<NodeProblem>) -> Known {
    match read_node(node, installed) {
        Ok(known) => known,
        Err(message) => {
            problems.push(NodeProblem::of_node(node.id, message));
            // Other messages about the node would follow from this one.
            let kind = node_types::find(&node.r#type).map(|node_type| node_type.kind);
            Known { kind: kind.filter(|_| node.r#type != "extension"), handles: None }
        }
    }
}

fn read_node(node: &Node, installed: &Installed) -> Result<Known, String> {
    if node.r#type == "extension" {
        return read_extension(node, installed);
    }
    let (node_type, plan) = compile(node)?;
    if node_type.kind == Kind::Trigger {
        triggers::parse(node)?;
    }
    let fixed = node_type.handles.iter().copied();
    let handles = fixed.chain(plan.branches()).map(str::to_owned).collect();
    Ok(Known { kind: Some(node_type.kind), handles: Some(handles) })
}

fn read_extension(node: &Node, installed: &Installed) -> Result<Known, String> {
    let declaration = node.install_id.and_then(|install| installed.get(&install));
    let declaration = declaration.ok_or("The extension of the node is not installed or does not run")?;
    allows_config(&declaration.input_schema, &node.config)?;
    let handles = match declaration.kind {
        Kind::Trigger => Some(vec!["out".to_owned()]),
        Kind::Action => Some(vec!["out".to_owned(), "error".to_owned()]),
        // The handler names the branch.
        Kind::Logic => None,
    };
    if declaration.kind != Kind::Trigger {
        compile(node)?;
    }
    Ok(Known { kind: Some(declaration.kind), handles })
}

fn check_edges(graph: &Graph, neighbours: &Neighbours, known: &[Known], problems: &mut Vec<NodeProblem>) {
    let mut seen = HashSet::new();
    for edge in &graph.edges {
        let mut refuse = |message: String| problems.push(NodeProblem::of_edge(edge.id, message));
        if !seen.insert((edge.source_node_id, &edge.source_handle, edge.target_node_id)) {
            refuse("Another edge is the same".to_owned());
        }
        let of = |id| neighbours.index.get(&id).and_then(|position| known.get(*position));
        if of(edge.target_node_id).is_some_and(|target| target.kind == Some(Kind::Trigger)) {
            refuse("An edge must not enter a trigger".to_owned());
        }
        if let Some(source) = of(edge.source_node_id)
            && let Some(message) = unknown_handle(edge, source)
        {
            refuse(message);
        }
    }
}

fn unknown_handle(edge: &Edge, source: &Known) -> Option<String> {
    let handles = source.handles.as_ref()?;
    if handles.contains(&edge.source_handle) {
        return None;
    }
    Some(format!("source_handle must be one of {}", handles.join(", ")))
}

/// Checks the number of loops around each node, along the order of the nodes.
fn check_loops(graph: &Graph, neighbours: &Neighbours, order: &[usize], problems: &mut Vec<NodeProblem>) {
    let mut depths = vec![0_usize; graph.nodes.len()];
    for node in order {
        let is_loop = graph.nodes[*node].r#type == "loop";
        if is_loop && depths[*node] >= MAX_LOOP_DEPTH {
            let message = format!("Loops must be nested at most {MAX_LOOP_DEPTH} deep");
            problems.push(NodeProblem::of_node(graph.nodes[*node].id, message));
        }
        for edge in &neighbours.leaving[*node] {
            let is_item = is_loop && graph.edges[*edge].source_handle == "out";
            let depth = depths[*node] + usize::from(is_item);
            if let Some(target) = neighbours.target(graph, *edge) {
                depths[target] = depths[target].max(depth);
            }
        }
    }
}

/// Compiles the regular expressions, until they are too large together.
fn check_patterns(graph: &Graph, problems: &mut Vec<NodeProblem>) {
    let number = graph.nodes.iter().map(|node| patterns::of_node(node).len()).sum();
    if let Err(message) = patterns::check_number(number) {
        problems.push(NodeProblem::of_graph(message));
        return;
    }
    let mut budget = Budget::of_graph();
    for node in &graph.nodes {
        // Those of a wrong length are problems of the configuration.
        for pattern in patterns::of_node(node).into_iter().filter_map(|text| Pattern::parse(text).ok()) {
            match budget.take(&pattern) {
                Ok(true) => {}
                Ok(false) => {
                    problems.push(NodeProblem::of_graph(Budget::exceeded()));
                    return;
                }
                Err(message) => {
                    problems.push(NodeProblem::of_node(node.id, message));
                    break;
                }
            }
        }
    }
}
