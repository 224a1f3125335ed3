//! Bounds of what an import reads as one piece (reference/archives.md#limits-of-an-import).

use crate::sealing::MAX_RECORD_BYTES;

/// Largest manifest.
const MAX_MANIFEST_BYTES: u64 = 1024 * 1024;
/// Largest row, with its line break.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Bounds of what is read as one piece. Everything else is read in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the manifest, in bytes.
    pub manifest_bytes: u64,
    /// Maximum size of a row with its line break, in bytes.
    pub line_bytes: u64,
    /// Maximum size of a sealed record, in bytes.
    pub record_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            manifest_bytes: MAX_MANIFEST_BYTES,
            line_bytes: MAX_LINE_BYTES,
            record_bytes: MAX_RECORD_BYTES,
        }
    }
}
