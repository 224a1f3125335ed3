//! Order of the nodes of a graph along its edges.

use std::collections::HashMap;

use uuid::Uuid;

use crate::model::Graph;

/// Position of each node, and the edges that leave it.
pub struct Neighbours {
    /// Positions of the nodes.
    pub index: HashMap<Uuid, usize>,
    /// For each node the positions of its edges.
    pub leaving: Vec<Vec<usize>>,
}

impl Neighbours {
    /// Reads a graph. Edges without a node at both ends are left out.
    pub fn of(graph: &Graph) -> Self {
        let index: HashMap<Uuid, usize> =
            graph.nodes.iter().enumerate().map(|(position, node)| (node.id, position)).collect();
        let mut leaving = vec![Vec::new(); graph.nodes.len()];
        for (position, edge) in graph.edges.iter().enumerate() {
            if let (Some(source), true) =
                (index.get(&edge.source_node_id), index.contains_key(&edge.target_node_id))
            {
                leaving[*source].push(position);
            }
        }
        Self { index, leaving }
    }

    /// Position of the node that an edge enters.
    pub fn target(&self, graph: &Graph, edge: usize) -> Option<usize> {
        self.index.get(&graph.edges[edge].target_node_id).copied()
    }

    /// Nodes so that each edge leads to a later one. Nodes in and behind a cycle are not in it.
    pub fn topological(&self, graph: &Graph) -> Vec<usize> {
        let mut entering = vec![0_usize; self.leaving.len()];
        for edge in self.leaving.iter().flatten() {
            if let Some(target) = self.target(graph, *edge) {
                entering[target] += 1;
            }
        }
        let mut order: Vec<usize> = (0..entering.len()).filter(|node| entering[*node] == 0).collect();
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            next += 1;
            for target in self.leaving[node].iter().filter_map(|edge| self.target(graph, *edge)) {
                entering[target] -= 1;
                if entering[target] == 0 {
                    order.push(target);
                }
            }
        }
        order
    }

    /// True for each node that a walk from the given ones reaches.
    pub fn reached(&self, graph: &Graph, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; self.leaving.len()];
        let mut waiting: Vec<usize> = from.into_iter().collect();
        while let Some(node) = waiting.pop() {
            if std::mem::replace(&mut reached[node], true) {
                continue;
            }
            waiting.extend(self.leaving[node].iter().filter_map(|edge| self.target(graph, *edge)));
        }
        reached
    }
}
