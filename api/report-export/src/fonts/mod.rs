//! Fonts of the system (reference/history.md#fonts). They are mapped into memory once, when the first PDF needs them.

mod coverage;
mod library;

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use crate::Failure;

pub(crate) use library::{FaceId, Library, han_variant};

/// Fonts below a folder. Cheap to clone; clones share what was loaded.
#[derive(Clone)]
pub struct Fonts(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    library: OnceLock<Library>,
}

impl Fonts {
    /// Fonts below a folder. Nothing is read before a document needs them.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Inner { folder: folder.into(), library: OnceLock::new() }))
    }

    /// Loads the fonts now, to find out whether documents can be made.
    ///
    /// # Errors
    /// A text that names the folder when it has none that can be used.
    pub fn check(&self) -> Result<(), String> {
        self.library().map(drop)
    }

    /// The loaded fonts. After a failure the next call reads the folder again.
    pub(crate) fn library(&self) -> Result<&Library, Failure> {
        if let Some(library) = self.0.library.get() {
            return Ok(library);
        }
        let library = Library::load(&self.0.folder)?;
        Ok(self.0.library.get_or_init(|| library))
    }
}
