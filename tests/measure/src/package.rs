//! Packages of the workspace, from their manifests.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use toml::Table;

/// A package of the workspace.
#[derive(Debug, Clone)]
pub struct Package {
    pub name: String,
    /// Folder from the root, with `/`.
    pub folder: String,
    /// Root files of the library and the programs.
    pub roots: Vec<String>,
    /// Root files of tests, benchmarks and examples.
    pub test_roots: Vec<String>,
    /// True for a package of tests and tools, which is no part of the product.
    pub is_test: bool,
}

/// Reads the packages that the root manifest lists.
///
/// # Errors
/// A manifest that cannot be read.
pub fn read(root: &Path, test_folders: &[String]) -> Result<Vec<Package>> {
    let manifest = manifest(root, "")?;
    let members = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("members"))
        .and_then(|members| members.as_array())
        .context("the root manifest lists no members")?;
    let mut packages = Vec::new();
    for member in members.iter().filter_map(|member| member.as_str()) {
        for folder in folders(root, member) {
            packages.push(package(root, &folder, test_folders)?);
        }
    }
    Ok(packages)
}

/// A member, or the folders that match it when it ends in `/*`.
fn folders(root: &Path, member: &str) -> Vec<String> {
    let Some(parent) = member.strip_suffix("/*") else { return vec![member.to_owned()] };
    let mut found: Vec<String> = fs::read_dir(root.join(parent))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| format!("{parent}/{}", entry.file_name().to_string_lossy()))
        .collect();
    found.sort();
    found
}

fn package(root: &Path, folder: &str, test_folders: &[String]) -> Result<Package> {
    let manifest = manifest(root, folder)?;
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name")?.as_str())
        .with_context(|| format!("{folder} has no name"))?
        .to_owned();
    let in_folder = |path: &str| format!("{folder}/{path}");
    let exists = |path: &String| root.join(path).is_file();

    let mut roots: Vec<String> = Vec::new();
    let library = manifest.get("lib").and_then(|library| library.get("path")?.as_str());
    roots.push(in_folder(library.unwrap_or("src/lib.rs")));
    roots.extend(declared(&manifest, "bin").iter().map(|path| in_folder(path)));
    roots.push(in_folder("src/main.rs"));
    roots.extend(rust_files(root, &in_folder("src/bin")));
    let mut test_roots: Vec<String> = Vec::new();
    for (table, default) in [("test", "tests"), ("bench", "benches"), ("example", "examples")] {
        test_roots.extend(declared(&manifest, table).iter().map(|path| in_folder(path)));
        test_roots.extend(rust_files(root, &in_folder(default)));
    }
    for list in [&mut roots, &mut test_roots] {
        list.retain(exists);
        list.sort();
        list.dedup();
    }
    let is_test = test_folders.iter().any(|test| folder == test || folder.starts_with(&format!("{test}/")));
    Ok(Package { name, folder: folder.to_owned(), roots, test_roots, is_test })
}

fn manifest(root: &Path, folder: &str) -> Result<Table> {
    let path = root.join(folder).join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    text.parse().with_context(|| format!("{} is not TOML", path.display()))
}

fn declared(manifest: &Table, table: &str) -> Vec<String> {
    let targets = manifest.get(table).and_then(|targets| targets.as_array()).into_iter().flatten();
    targets.filter_map(|target| Some(target.get("path")?.as_str()?.to_owned())).collect()
}

/// Root files that Cargo finds by itself in a folder: `x.rs` and `x/main.rs`.
fn rust_files(root: &Path, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rs") {
            return Some(format!("{folder}/{name}"));
        }
        entry.path().join("main.rs").is_file().then(|| format!("{folder}/{name}/main.rs"))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_targets_of_this_crate_are_found() {
        // At run time: checkouts that share a build folder share this program too.
        let root = std::env::var("CARGO_MANIFEST_DIR").unwrap();
        let package = package(Path::new(&root), ".", &["tests".to_owned()]).unwrap();
        assert_eq!(package.name, "measure");
        assert_eq!(package.roots, ["./src/lib.rs", "./src/main.rs"]);
    }
}
