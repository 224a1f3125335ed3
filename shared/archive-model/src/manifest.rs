//! Manifest of an archive: the last file of it (reference/archives.md#manifest).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::tables::tables;

/// Name of the manifest in the archive.
pub const FILE: &str = "manifest.json";
/// Name of the file with people.
pub const PEOPLE: &str = "people.ndjson";
/// Name of the file with sealed secrets.
pub const SECRETS: &str = "secrets.sealed";
/// Name of the index of the stored files: each line is a [`File`].
pub const INDEX: &str = "objects.ndjson";
/// Name of the file with the stored files that were not found: each line is a [`MissingObject`].
pub const MISSING: &str = "missing_objects.ndjson";
/// Folder with the stored files of the account.
pub const FILES: &str = "files/";
/// Format of the archive.
pub const FORMAT: &str = "lumio-account-archive";
/// Version of the format. An import refuses a later one.
pub const VERSION: u32 = 1;
/// Fields that differ between an archive and the one that is made after its import.
pub const VARYING: [&str; 5] = ["exported_at", "deployment", "program_version", "plan", "secrets"];

/// Manifest of an archive. Its size does not depend on that of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// Version of the format.
    pub version: u32,
    /// The account.
    pub account_id: Uuid,
    /// Its name.
    pub account_name: String,
    /// Time at which the export began.
    #[serde(serialize_with = "shared::clock::serialize_rfc3339")]
    pub exported_at: DateTime<Utc>,
    /// Public address of the deployment that made the archive.
    pub deployment: String,
    /// Version of the program that made it.
    pub program_version: String,
    /// Slug of the plan of the account there. An import does not assign it.
    pub plan: String,
    /// Sealing of the secrets; null for an archive without them.
    pub secrets: Option<Sealed>,
    /// Every other file, in the order of the archive. Those below [`FILES`] are in the [`INDEX`].
    pub files: Vec<File>,
}

/// Sealing of the secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// Suite of RFC 9180.
    pub suite: String,
    /// Public key of the recipient, in base64.
    pub public_key: String,
    /// Encapsulated secret, in base64.
    pub encapsulated: String,
    /// Number of sealed records.
    pub records: u64,
    /// Secrets that the deployment could not decrypt, and which are missing.
    pub unreadable: u64,
}

/// File of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Name in the archive.
    pub name: String,
    /// Lines of a file of rows; null for any other file.
    pub rows: Option<u64>,
    /// Size in bytes, unpacked.
    pub bytes: u64,
    /// SHA-256 of the content, in hexadecimal.
    pub sha256: String,
}

/// Stored object that rows name and that was not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingObject {
    /// Key in the object storage.
    pub key: String,
}

/// Name in the archive of a stored object, given its key without the prefix of the account.
#[must_use]
pub fn object_file(key: &str) -> String {
    format!("{FILES}{key}")
}

/// True for the name of a file that manifests of this version state.
pub(crate) fn is_known(name: &str) -> bool {
    [PEOPLE, SECRETS, INDEX, MISSING].contains(&name)
        || tables().any(|table| {
            table.exported_rows().is_some_and(|rows| !rows.is_credential) && table.file() == name
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{import::Limits, tables::Table};

    #[test]
    fn manifest_of_every_file_is_far_below_its_maximum() {
        let names = tables().map(Table::file).chain([PEOPLE, SECRETS, INDEX, MISSING].map(str::to_owned));
        let files = names.filter(|name| is_known(name)).map(|name| File {
            name,
            rows: Some(u64::MAX),
            bytes: u64::MAX,
            sha256: "f".repeat(64),
        });
        let files: Vec<File> = files.collect();
        assert!(files.len() > 50, "{files:?}");
        let length = u64::try_from(serde_json::to_vec_pretty(&files).unwrap().len()).unwrap();
        assert!(length < Limits::default().manifest_bytes / 8, "{length} bytes");
    }
}
