//! Configuration of exports (reference/history.md#fonts).

use super::Reader;

/// Settings of exports of reports.
#[derive(Debug, Clone)]
pub struct ExportsConfig {
    /// Folder with the fonts of PDF documents, which is searched with the folders in it.
    pub font_dir: String,
}

pub(super) fn read(reader: &Reader) -> ExportsConfig {
    ExportsConfig { font_dir: reader.text("LUMIO_FONT_DIR", "/usr/share/fonts") }
}
