//! Storage of a version's files.

use std::{fs, path::Path};

use api_core::ApiError;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use extension_bundle::BundleFile;
use extension_model::{bundle_key, content_type};
use foundation::storage::Storage;
use uuid::Uuid;

use super::db::NewFile;
use crate::envelope::Result;

/// Keys of the files. Each is derived from the content's hash, so that equal files share an object.
pub(super) fn keys(files: &[BundleFile]) -> Vec<String> {
    files.iter().map(key).collect()
}

fn key(file: &BundleFile) -> String {
    bundle_key(&file.content_hash)
}

/// Puts unpacked files into the object store. Returns their rows.
///
/// Their keys were recorded as unclaimed before: when a later file or the transaction that writes the rows
/// fails, the objects are swept a day later, unless another version shares them by then.
///
/// # Errors
/// Failure of the disk or the object store.
pub(super) async fn put(
    storage: &Storage,
    folder: &Path,
    files: &[BundleFile],
    version_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Vec<NewFile>> {
    let mut rows = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        let path = unpacked(folder, index);
        // One file at a time in memory, up to all of an unpacked bundle; therefore few uploads run this
        // concurrently.
        let bytes = tokio::task::spawn_blocking(move || fs::read(path)).await.map_err(ApiError::internal)?;
        let storage_key = key(file);
        storage.put(&storage_key, Bytes::from(bytes.map_err(ApiError::internal)?)).await?;
        rows.push(NewFile {
            id: shared::id::new(),
            version_id,
            file_path: file.path.clone(),
            content_type: content_type(&file.path).to_owned(),
            size_bytes: i64::try_from(file.size_bytes).unwrap_or(i64::MAX),
            content_hash: file.content_hash.clone(),
            storage_key,
            created_at: now,
        });
    }
    Ok(rows)
}

/// Path of the unpacked file of an index. Names of the archive never become names of this machine.
pub(super) fn unpacked(folder: &Path, index: usize) -> std::path::PathBuf {
    folder.join(index.to_string())
}
