//! Limits of an archive (reference/extensions.md#bundle).

/// Bytes of a mebibyte.
pub(super) const MIB: u64 = 1024 * 1024;

/// Limits of an archive.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of files.
    pub files: usize,
    /// Maximum number of entries of any kind: files, folders and extended headers.
    pub entries: usize,
    /// Maximum size of the archive without its compression, in bytes.
    pub unpacked_bytes: u64,
    /// Maximum ratio of unpacked to packed bytes. It does not apply below [`Limits::MIN_CHECKED_BYTES`], because a
    /// few kilobytes of padding compress to almost nothing.
    pub ratio: u64,
    /// Maximum size of `lumio.config.json`, in bytes.
    pub manifest_bytes: u64,
    /// Maximum size of `server.js`, in bytes.
    pub server_bytes: u64,
}

impl Limits {
    /// Unpacked bytes that are allowed at any ratio.
    pub(super) const MIN_CHECKED_BYTES: u64 = MIB;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 2000,
            entries: 4000,
            unpacked_bytes: 200 * MIB,
            ratio: 100,
            manifest_bytes: MIB,
            server_bytes: MIB,
        }
    }
}
