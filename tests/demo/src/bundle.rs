//! Packs the fixture extension the way a developer's build tool does.

use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

/// A `.tar.gz` of `lumio.config.json`, with the id and version filled in, and `server.js`.
pub fn pack(source: &Path, extension_id: &str, version: &str) -> Result<Vec<u8>> {
    let manifest = read(source, "lumio.config.json")?;
    let mut manifest: Value = serde_json::from_slice(&manifest).context("lumio.config.json")?;
    manifest["extensionId"] = extension_id.into();
    manifest["version"] = version.into();
    archive(&manifest, &read(source, "server.js")?)
}

/// A `.tar.gz` of a manifest and a handler module.
///
/// # Errors
/// An error when it cannot be written to memory.
pub fn archive(manifest: &Value, server: &[u8]) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    add(&mut archive, "lumio.config.json", &serde_json::to_vec_pretty(manifest)?)?;
    add(&mut archive, "server.js", server)?;
    Ok(archive.into_inner()?.finish()?)
}

fn read(source: &Path, file: &str) -> Result<Vec<u8>> {
    let path = source.join(file);
    std::fs::read(&path).with_context(|| format!("reading {}", path.display()))
}

fn add(archive: &mut tar::Builder<impl std::io::Write>, path: &str, content: &[u8]) -> Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(u64::try_from(content.len())?);
    header.set_mode(0o644);
    header.set_cksum();
    Ok(archive.append_data(&mut header, path, content)?)
}
