//! Strongly connected components (Tarjan).

use std::collections::BTreeMap;

/// Returns the components of more than one node, nodes sorted.
#[must_use]
pub fn circles(edges: &[(String, String)]) -> Vec<Vec<String>> {
    let mut graph: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        graph.entry(from).or_default().push(to);
        graph.entry(to).or_default();
    }
    let mut search = Search { graph: &graph, marks: BTreeMap::new(), stack: Vec::new(), found: Vec::new() };
    for node in graph.keys() {
        if !search.marks.contains_key(node) {
            search.visit(node);
        }
    }
    search.found.sort();
    search.found
}

struct Mark {
    index: usize,
    is_on_stack: bool,
}

struct Search<'a> {
    graph: &'a BTreeMap<&'a str, Vec<&'a str>>,
    marks: BTreeMap<&'a str, Mark>,
    stack: Vec<&'a str>,
    found: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    /// Visits a node and returns the lowest index that it reaches.
    fn visit(&mut self, node: &'a str) -> usize {
        let index = self.marks.len();
        self.marks.insert(node, Mark { index, is_on_stack: true });
        self.stack.push(node);
        let mut low = index;
        for next in &self.graph[node] {
            let reached = match self.marks.get(next) {
                None => self.visit(next),
                Some(mark) if mark.is_on_stack => mark.index,
                Some(_) => continue,
            };
            low = low.min(reached);
        }
        if low == index {
            let mut component = Vec::new();
            while let Some(top) = self.stack.pop() {
                if let Some(mark) = self.marks.get_mut(top) {
                    mark.is_on_stack = false;
                }
                component.push(top.to_owned());
                if top == node {
                    break;
                }
            }
            if component.len() > 1 {
                component.sort();
                self.found.push(component);
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_components_of_several_nodes() {
        let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d"), ("f", "a")];
        let edges: Vec<_> = edges.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(circles(&edges), [vec!["a", "b", "c"], vec!["d", "e"]]);
    }
}
