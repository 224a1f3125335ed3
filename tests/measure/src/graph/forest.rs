//! Module trees of every target, from its root file along its `mod` declarations.

use std::collections::{BTreeMap, HashMap};

use crate::{
    package::Package,
    source::{
        Source,
        modules::{self, Import},
    },
};

/// The trees of all targets.
#[derive(Debug, Default)]
pub struct Forest {
    pub trees: Vec<Tree>,
}

/// The modules of a target; the first is its root.
#[derive(Debug)]
pub struct Tree {
    pub package: String,
    /// True for a target of tests, benchmarks or examples, or of a package of tests.
    pub is_test: bool,
    pub modules: Vec<Module>,
}

/// A module of a tree.
#[derive(Debug)]
pub struct Module {
    /// Names from the root, without the crate.
    pub path: Vec<String>,
    pub file: String,
    pub parent: Option<usize>,
    pub children: HashMap<String, usize>,
    pub items: Vec<String>,
    pub imports: Vec<Import>,
    /// Paths in its code with their line.
    pub paths: Vec<(Vec<String>, usize)>,
    pub is_test: bool,
}

impl Forest {
    /// Follows the `mod` declarations of every target.
    #[must_use]
    pub fn grow(packages: &[Package], sources: &BTreeMap<String, Source>) -> Self {
        let mut trees = Vec::new();
        for package in packages {
            let roots = package.roots.iter().map(|root| (root, package.is_test));
            for (root, is_test) in roots.chain(package.test_roots.iter().map(|root| (root, true))) {
                let mut tree = Tree { package: package.name.clone(), is_test, modules: Vec::new() };
                let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                grow_file(&mut tree, sources, &Place { file: root, folder, path: Vec::new() }, None, false);
                trees.push(tree);
            }
        }
        Self { trees }
    }

    /// True for a file that only tests compile; a file that no target reaches is none.
    #[must_use]
    pub fn is_test_only(&self, file: &str) -> bool {
        let mut uses = self.modules_of(file).peekable();
        uses.peek().is_some() && uses.all(|(tree, module)| tree.is_test || module.is_test)
    }

    /// Returns the modules that a file is, in every target; inline ones are left out.
    pub fn modules_of<'a>(&'a self, file: &'a str) -> impl Iterator<Item = (&'a Tree, &'a Module)> {
        self.trees.iter().flat_map(move |tree| {
            let own = tree.modules.iter().filter(move |module| module.file == file);
            own.filter(|module| module.parent.is_none_or(|parent| tree.modules[parent].file != module.file))
                .map(move |module| (tree, module))
        })
    }
}

/// File of a module and the folder of its children.
struct Place<'a> {
    file: &'a str,
    folder: String,
    path: Vec<String>,
}

fn grow_file(
    tree: &mut Tree,
    sources: &BTreeMap<String, Source>,
    place: &Place<'_>,
    parent: Option<usize>,
    is_test: bool,
) -> Option<usize> {
    let source = sources.get(place.file)?;
    Some(grow(tree, sources, place, &source.facts.module, parent, is_test))
}

fn grow(
    tree: &mut Tree,
    sources: &BTreeMap<String, Source>,
    place: &Place<'_>,
    content: &modules::Module,
    parent: Option<usize>,
    is_test: bool,
) -> usize {
    let own = tree.modules.len();
    tree.modules.push(Module {
        path: place.path.clone(),
        file: place.file.to_owned(),
        parent,
        children: HashMap::new(),
        items: content.items.clone(),
        imports: content.imports.clone(),
        paths: content
            .paths
            .iter()
            .map(|path| (path.name.split("::").map(str::to_owned).collect(), path.line))
            .collect(),
        is_test,
    });
    for child in &content.children {
        let is_test = is_test || child.is_test_only;
        let folder = join(&place.folder, &child.name);
        let path: Vec<String> = place.path.iter().cloned().chain([child.name.clone()]).collect();
        let index = match &child.inline {
            Some(inline) => {
                let place = Place { file: place.file, folder, path };
                Some(grow(tree, sources, &place, inline, Some(own), is_test))
            }
            None => {
                let file = match &child.path {
                    Some(path) => join(place.file.rsplit_once('/').map_or("", |(folder, _)| folder), path),
                    None => {
                        let flat = format!("{folder}.rs");
                        if sources.contains_key(&flat) { flat } else { format!("{folder}/mod.rs") }
                    }
                };
                let place = Place { file: &file, folder, path };
                grow_file(tree, sources, &place, Some(own), is_test)
            }
        };
        if let Some(index) = index {
            tree.modules[own].children.insert(child.name.clone(), index);
        }
    }
    own
}

/// Joins a relative path to a folder, `..` resolved.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Grows the tree of a crate whose root is `src/lib.rs`.
    pub fn tree(files: &[(&str, &str)]) -> Tree {
        let sources = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), Source::read(path, text).unwrap()))
            .collect();
        let package = Package {
            name: "a".to_owned(),
            folder: String::new(),
            roots: vec!["src/lib.rs".to_owned()],
            test_roots: Vec::new(),
            is_test: false,
        };
        Forest::grow(&[package], &sources).trees.remove(0)
    }

    #[test]
    fn forest_follows_declarations() {
        let found = tree(&[
            ("src/lib.rs", "mod a; mod b { mod c; } #[cfg(test)] mod tests; #[path = \"other/d.rs\"] mod d;"),
            ("src/a/mod.rs", "mod e;"),
            ("src/a/e.rs", ""),
            ("src/b/c.rs", ""),
            ("src/tests.rs", ""),
            ("src/other/d.rs", ""),
        ]);
        let files: Vec<_> = found.modules.iter().map(|module| module.file.as_str()).collect();
        let expected = [
            "src/lib.rs",
            "src/a/mod.rs",
            "src/a/e.rs",
            "src/lib.rs",
            "src/b/c.rs",
            "src/tests.rs",
            "src/other/d.rs",
        ];
        assert_eq!(files, expected);
        let forest = Forest { trees: vec![found] };
        assert!(forest.is_test_only("src/tests.rs") && !forest.is_test_only("src/a/e.rs"));
        assert_eq!(forest.modules_of("src/lib.rs").count(), 1);
    }
}
