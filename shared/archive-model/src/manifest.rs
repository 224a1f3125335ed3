//! Manifest of an archive: the last file of it (reference/archives.md#manifest).

use std::{fmt, marker::PhantomData};

use chrono::{DateTime, Utc};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, SeqAccess, Visitor},
};
use uuid::Uuid;

/// Name of the manifest in the archive.
pub const FILE: &str = "manifest.json";
/// Name of the file with people.
pub const PEOPLE: &str = "people.ndjson";
/// Name of the file with sealed secrets.
pub const SECRETS: &str = "secrets.sealed";
/// Folder with the stored files of the account.
pub const FILES: &str = "files/";
/// Format of the archive.
pub const FORMAT: &str = "lumio-account-archive";
/// Version of the format. An import refuses a later one.
pub const VERSION: u32 = 1;
/// Fields that differ between an archive and the one that is made after its import.
pub const VARYING: [&str; 5] = ["exported_at", "deployment", "program_version", "plan", "secrets"];

/// Maximum number of files of an archive, and of objects that are missing in it.
const MAX_FILES: usize = 1_000_000;

/// Manifest of an archive.
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
    /// Every other file, in the order of the archive.
    #[serde(deserialize_with = "bounded")]
    pub files: Vec<File>,
    /// Keys of stored objects that rows name and that were not found.
    #[serde(deserialize_with = "bounded")]
    pub missing_objects: Vec<String>,
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

/// Name in the archive of a stored object, given its key without the prefix of the account.
#[must_use]
pub fn object_file(key: &str) -> String {
    format!("{FILES}{key}")
}

/// List of at most [`MAX_FILES`] items: short ones take more memory than their text.
fn bounded<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(Bounded(PhantomData))
}

struct Bounded<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Bounded<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX_FILES} items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            if all.len() == MAX_FILES {
                return Err(A::Error::invalid_length(MAX_FILES + 1, &self));
            }
            all.push(item);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct List {
        #[serde(deserialize_with = "bounded")]
        keys: Vec<String>,
    }

    #[test]
    fn bounded_lists_end_at_their_maximum() {
        let list = |items: usize| {
            let more = "\"\",".repeat(items - 1);
            serde_json::from_str::<List>(&format!("{{\"keys\": [{more}\"\"]}}"))
        };
        assert_eq!(list(MAX_FILES).unwrap().keys.len(), MAX_FILES);
        let error = list(MAX_FILES + 1).map(|list| list.keys.len()).unwrap_err().to_string();
        assert!(error.contains("expected a list of at most 1000000 items"), "{error}");
    }
}
