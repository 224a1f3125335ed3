//! Configuration of archives of accounts (reference/archives.md#limits).

use super::Reader;

/// Default size above which an export fails.
const MAX_BYTES: u64 = 40 * 1024 * 1024 * 1024;
/// Maximum size of an object that is stored in parts of 5 MiB.
const MAX_OBJECT_BYTES: u64 = 48 * 1024 * 1024 * 1024;

/// Settings of archives of accounts.
#[derive(Debug, Clone, Copy)]
pub struct ArchivesConfig {
    /// Size in bytes above which an export fails.
    pub max_bytes: u64,
}

pub(super) fn read(reader: &mut Reader) -> ArchivesConfig {
    ArchivesConfig { max_bytes: reader.within("LUMIO_ARCHIVE_MAX_BYTES", MAX_BYTES, 1024, MAX_OBJECT_BYTES) }
}
