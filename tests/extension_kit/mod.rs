//! The extension kit `lumio-ext` against a real API and in the real sandbox (reference/extension-kit.md).

mod check;
mod local;
mod program;
mod remote;

use std::{fs, path::Path};

use serde_json::Value;

/// Writes the files of an extension.
fn write(dir: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Changes the manifest of a folder.
fn change_manifest(dir: &Path, change: impl FnOnce(&mut Value)) {
    let path = dir.join("lumio.config.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, format!("{manifest:#}")).unwrap();
}
