//! Circles of files within a crate.

use crate::{
    checkout::Checkout,
    graph::{Edge, components, edges},
    row::{Place, Row},
};

/// Imports that make a circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imports {
    /// Imports and re-exports.
    All,
    /// The same without those of a parent from the modules below it.
    BetweenNeighbours,
    /// Imports, re-exports, and calls of a parent by a path that begins with the name of its child module.
    AndCallsIntoChildren,
}

/// Returns the circles that some imports make.
#[must_use]
pub fn row(checkout: &Checkout, imports: Imports) -> Row {
    let mut places = Vec::new();
    let mut seen = Vec::new();
    let trees = checkout.forest.trees.iter().filter(|tree| !tree.is_test);
    for tree in trees {
        let mut edges = edges(tree, imports == Imports::AndCallsIntoChildren);
        edges.retain(|edge| imports != Imports::BetweenNeighbours || !edge.is_into_child);
        let pairs: Vec<_> = edges.iter().map(|edge| (edge.from.clone(), edge.to.clone())).collect();
        for circle in components::circles(&pairs) {
            if !seen.contains(&circle) {
                places.push(describe(&tree.package, &circle, &edges));
                seen.push(circle);
            }
        }
    }
    let (key, title) = match imports {
        Imports::All => ("circles", "circles of files"),
        Imports::BetweenNeighbours => {
            ("circles-of-neighbours", "the same without imports of a parent from its child modules")
        }
        Imports::AndCallsIntoChildren => {
            ("circles-of-calls", "the same with calls of a parent into its child modules")
        }
    };
    Row { key, title: title.to_owned(), value: places.len(), places }
}

fn describe(package: &str, circle: &[String], edges: &[Edge]) -> Place {
    let own = edges.iter().filter(|edge| circle.contains(&edge.from) && circle.contains(&edge.to));
    let mut text = format!("{package}: {} files", circle.len());
    for edge in own {
        let names: Vec<_> = edge.names.iter().map(|(name, line)| format!("{name} ({line})")).collect();
        text.push_str(&format!("\n    {} -> {}: {}", edge.from, edge.to, names.join(", ")));
    }
    Place::new(circle.first().map_or("", String::as_str), 0, text)
}
