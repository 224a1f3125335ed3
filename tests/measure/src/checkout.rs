//! The checkout: packages, Rust sources, documents and other texts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
};

use anyhow::{Context, Result, anyhow};
use walkdir::{DirEntry, WalkDir};

use crate::{
    graph::Forest,
    package::{self, Package},
    source::Source,
};

/// Folders that hold nothing of the project's own.
const SKIPPED_FOLDERS: [&str; 4] = [".git", "target", ".data", "node_modules"];

/// Everything that is read.
#[derive(Debug)]
pub struct Checkout {
    pub root: PathBuf,
    pub packages: Vec<Package>,
    /// Every file, from the root, with `/`.
    pub files: Vec<String>,
    /// Rust sources by path.
    pub sources: BTreeMap<String, Source>,
    /// Markdown documents by path.
    pub documents: BTreeMap<String, String>,
    /// Scripts, SQL and settings by path.
    pub texts: BTreeMap<String, String>,
    /// Modules of every target.
    pub forest: Forest,
    /// Sources of the product, by path.
    product: BTreeSet<String>,
}

impl Checkout {
    /// Reads a checkout.
    ///
    /// # Errors
    /// A file that cannot be read, or a source that does not parse.
    pub fn read(root: &Path, test_folders: &[String]) -> Result<Self> {
        let packages = package::read(root, test_folders)?;
        let files = files(root)?;
        let mut checkout = Self {
            root: root.to_owned(),
            sources: sources(root, &files)?,
            documents: BTreeMap::new(),
            texts: BTreeMap::new(),
            forest: Forest::default(),
            product: BTreeSet::new(),
            packages,
            files,
        };
        for path in &checkout.files {
            let is_document = path.ends_with(".md");
            if !is_document && mark(path).is_none() && !is_script(root, path) {
                continue;
            }
            let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
            if is_document { &mut checkout.documents } else { &mut checkout.texts }
                .insert(path.clone(), text);
        }
        checkout.forest = Forest::grow(&checkout.packages, &checkout.sources);
        let product = checkout.sources.keys().filter(|path| !checkout.is_test(path));
        checkout.product = product.cloned().collect();
        Ok(checkout)
    }

    /// Returns the package that a file is in: the one of the deepest folder.
    #[must_use]
    pub fn package_of(&self, path: &str) -> Option<&Package> {
        let own = self.packages.iter().filter(|package| is_in(path, &package.folder));
        own.max_by_key(|package| package.folder.len())
    }

    /// True for a source that is compiled for tests only, or belongs to a package of tests.
    fn is_test(&self, path: &str) -> bool {
        let Some(package) = self.package_of(path) else { return true };
        let rest = path.strip_prefix(&package.folder).unwrap_or(path);
        package.is_test
            || ["/tests/", "/benches/", "/examples/"].iter().any(|folder| rest.contains(folder))
            || rest.ends_with("/tests.rs")
            || self.forest.is_test_only(path)
    }

    /// Returns the sources of the product.
    pub fn product(&self) -> impl Iterator<Item = &Source> {
        self.sources.values().filter(|source| self.product.contains(&source.path))
    }
}

/// True for a path in a folder, or that folder itself.
#[must_use]
pub fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the mark of line comments in a text file that is read, by its name.
#[must_use]
pub fn mark(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("sh" | "toml" | "py" | "yaml" | "yml" | "example" | "service" | "target") => Some("#"),
        Some("sql" | "lua") => Some("--"),
        Some("js" | "mjs" | "cjs" | "ts" | "c" | "h") => Some("//"),
        None if name == "Dockerfile" || name == "Procfile" => Some("#"),
        _ => None,
    }
}

fn is_script(root: &Path, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !name.contains('.') && fs::read(root.join(path)).is_ok_and(|bytes| bytes.starts_with(b"#!"))
}

fn files(root: &Path) -> Result<Vec<String>> {
    let is_kept = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        !(entry.file_type().is_dir() && SKIPPED_FOLDERS.contains(&name.as_ref()))
    };
    let mut found = Vec::new();
    for entry in WalkDir::new(root).into_iter().filter_entry(is_kept) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(root).context("a file lies outside of the root")?;
            found.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    found.sort();
    Ok(found)
}

/// Parses all sources, on every core: parsing is nearly all of the work.
fn sources(root: &Path, files: &[String]) -> Result<BTreeMap<String, Source>> {
    let queue = Mutex::new(files.iter().filter(|path| path.ends_with(".rs")));
    let cores = thread::available_parallelism().map_or(1, |count| count.get());
    let read = || -> Result<Vec<Source>> {
        let mut found = Vec::new();
        loop {
            let next = queue.lock().map_err(|error| anyhow!("{error}"))?.next();
            let Some(path) = next else { return Ok(found) };
            let text = fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
            found.push(Source::read(path, &text)?);
        }
    };
    thread::scope(|scope| {
        let readers: Vec<_> = (0..cores).map(|_| scope.spawn(read)).collect();
        let mut found = BTreeMap::new();
        for reader in readers {
            let sources = reader.join().map_err(|_panic| anyhow!("a reader of sources panicked"))??;
            found.extend(sources.into_iter().map(|source| (source.path.clone(), source)));
        }
        Ok(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_in_compares_whole_folders() {
        assert!(is_in("shared/src/a.rs", "shared") && !is_in("shared2/a.rs", "shared"));
    }

    #[test]
    fn mark_is_that_of_the_language() {
        assert_eq!(mark("migrations/x/up.sql"), Some("--"));
        assert_eq!(mark("engine/shim.c"), Some("//"));
        assert_eq!(mark("scripts/test"), None);
    }
}
