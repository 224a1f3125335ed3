//! From the paths in a module to the files that define what they name.

use std::collections::BTreeMap;

use super::forest::{Module, Tree};

/// Bound of re-exports of re-exports, which may be circular.
const MAX_DEPTH: usize = 24;

/// An import from one file to another, with the names that tie them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    pub from: String,
    pub to: String,
    /// True for the import of a parent from a module below it.
    pub is_into_child: bool,
    /// Names with the line of their first use.
    pub names: BTreeMap<String, usize>,
}

/// End of a path: a module, or an item of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Module(usize),
    Item(usize),
}

impl Target {
    const fn module(self) -> usize {
        match self {
            Self::Module(module) | Self::Item(module) => module,
        }
    }
}

/// Returns the imports between the files of a tree; what is compiled for tests only is left out. Calls into a child
/// module by a path that begins with its name are containment; they count when asked for.
#[must_use]
pub fn edges(tree: &Tree, with_calls_into_children: bool) -> Vec<Edge> {
    let resolver = Resolver { tree };
    let mut found: BTreeMap<(String, String), Edge> = BTreeMap::new();
    for (index, module) in tree.modules.iter().enumerate().filter(|(_, module)| !module.is_test) {
        let mut add = |target: Option<Target>, name: &[String], line: usize| {
            let Some(target) = target else { return };
            let other = &tree.modules[target.module()];
            if other.file != module.file && !other.is_test {
                let edge = found.entry((module.file.clone(), other.file.clone())).or_insert_with(|| Edge {
                    from: module.file.clone(),
                    to: other.file.clone(),
                    is_into_child: other.path.starts_with(&module.path),
                    names: BTreeMap::new(),
                });
                edge.names.entry(name.join("::")).or_insert(line);
            }
        };
        for import in &module.imports {
            let target = resolver.resolve(index, &import.path, 0);
            let is_module = matches!(target, Some(Target::Module(_))) && import.name.is_some();
            if !(is_module && resolver.is_used(module, import.name.as_deref())) {
                add(target, &import.path, import.line);
            }
        }
        for (path, line) in &module.paths {
            let first = path[0].as_str();
            let is_anchored = matches!(first, "crate" | "super" | "self");
            let is_imported = module.imports.iter().any(|import| import.name.as_deref() == Some(first));
            if is_anchored || is_imported || with_calls_into_children {
                add(resolver.resolve(index, path, 0), path, *line);
            }
        }
    }
    found.into_values().collect()
}

struct Resolver<'a> {
    tree: &'a Tree,
}

impl Resolver<'_> {
    /// True when paths of the module begin with an imported name: they are then the edges, not the import.
    fn is_used(&self, module: &Module, name: Option<&str>) -> bool {
        module.paths.iter().any(|(path, _)| Some(path[0].as_str()) == name)
    }

    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let module = &self.tree.modules[from];
        match first.as_str() {
            "crate" => self.descend(0, rest, depth).or(Some(self.deepest(0, rest))),
            "self" => self.descend(from, rest, depth).or(Some(self.deepest(from, rest))),
            "super" => {
                let mut parent = module.parent?;
                let mut rest = rest;
                while let Some((next, after)) = rest.split_first()
                    && next == "super"
                {
                    parent = self.tree.modules[parent].parent?;
                    rest = after;
                }
                self.descend(parent, rest, depth).or(Some(self.deepest(parent, rest)))
            }
            _ => self.descend(from, path, depth),
        }
    }

    /// Follows a path from inside of a module.
    fn descend(&self, at: usize, path: &[String], depth: usize) -> Option<Target> {
        if depth > MAX_DEPTH {
            return None;
        }
        let Some((first, rest)) = path.split_first() else { return Some(Target::Module(at)) };
        let module = &self.tree.modules[at];
        let child = module.children.get(first).copied();
        if !rest.is_empty()
            && let Some(child) = child
        {
            return self.descend(child, rest, depth + 1).or(Some(self.deepest(child, rest)));
        }
        if module.items.contains(first) {
            return Some(Target::Item(at));
        }
        let named = module.imports.iter().filter(|import| import.name.as_ref() == Some(first));
        for import in named {
            // `use a::a`: the import itself is not what its path begins with.
            if import.path.first() == Some(first) && import.path.len() > 1 && child.is_none() && depth > 0 {
                continue;
            }
            match self.resolve(at, &import.path, depth + 1) {
                Some(Target::Module(module)) if !rest.is_empty() => {
                    return self.descend(module, rest, depth + 1).or(Some(self.deepest(module, rest)));
                }
                Some(target) => return Some(target),
                None => {}
            }
        }
        if let Some(child) = child {
            return Some(Target::Module(child));
        }
        let globs = module.imports.iter().filter(|import| import.name.is_none());
        for import in globs {
            if let Some(Target::Module(other)) = self.resolve(at, &import.path, depth + 4)
                && other != at
                && let Some(target) = self.descend(other, path, depth + 4)
            {
                return Some(target);
            }
        }
        None
    }

    /// Deepest module along a path: what a macro defines is not seen, its module is.
    fn deepest(&self, mut at: usize, path: &[String]) -> Target {
        for name in path {
            match self.tree.modules[at].children.get(name) {
                Some(child) => at = *child,
                None => return Target::Item(at),
            }
        }
        Target::Module(at)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::forest::tests::tree, *};

    fn pairs(files: &[(&str, &str)], with_calls_into_children: bool) -> Vec<(String, String)> {
        let found = edges(&tree(files), with_calls_into_children);
        let short = |path: &str| path.trim_start_matches("src/").trim_end_matches(".rs").to_owned();
        found.into_iter().map(|edge| (short(&edge.from), short(&edge.to))).collect()
    }

    fn pair(from: &str, to: &str) -> (String, String) {
        (from.to_owned(), to.to_owned())
    }

    #[test]
    fn edges_lead_to_the_file_that_defines() {
        let files = [
            ("src/lib.rs", "pub mod a; mod b;"),
            ("src/a/mod.rs", "mod c; mod d; pub use c::C; pub use d::*; fn own() {}"),
            ("src/a/c.rs", "pub struct C;"),
            ("src/a/d.rs", "pub struct D;"),
            ("src/b.rs", "use crate::a::{C, D}; fn f() { crate::a::own(); }"),
        ];
        let expected = [
            pair("a/mod", "a/c"),
            pair("a/mod", "a/d"),
            pair("b", "a/c"),
            pair("b", "a/d"),
            pair("b", "a/mod"),
        ];
        assert_eq!(pairs(&files, false), expected);
    }

    #[test]
    fn edges_follow_the_paths_through_an_imported_module() {
        let files = [
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a/mod.rs", "mod c; pub use c::f;"),
            ("src/a/c.rs", "pub fn f() {}"),
            ("src/b.rs", "use super::a; fn g() { a::f(); std::fmt(); other::x(); }"),
        ];
        assert_eq!(pairs(&files, false), [pair("a/mod", "a/c"), pair("b", "a/c")]);
    }

    #[test]
    fn edges_into_children_count_when_asked_for() {
        let files = [
            ("src/lib.rs", "mod a; pub struct L;"),
            ("src/a/mod.rs", "mod db; fn f() { db::load(); }"),
            ("src/a/db.rs", "use super::f; pub fn load() {} #[cfg(test)] mod tests { use crate::L; }"),
        ];
        assert_eq!(pairs(&files, false), [pair("a/db", "a/mod")]);
        assert_eq!(pairs(&files, true), [pair("a/db", "a/mod"), pair("a/mod", "a/db")]);
    }

    #[test]
    fn edges_survive_circular_reexports() {
        let files = [
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a.rs", "pub use crate::b::X; pub use crate::b::*;"),
            ("src/b.rs", "pub use crate::a::X; pub use crate::a::*;"),
        ];
        assert_eq!(pairs(&files, false), [pair("a", "b"), pair("b", "a")]);
    }
}
