//! Errors of exports and imports.

use std::io;

/// Result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Failure of an export or an import.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Failure of a store.
    #[error(transparent)]
    Store(#[from] shared::Error),
    /// The archive is larger than the deployment allows.
    #[error("The archive is larger than {0} bytes")]
    TooLarge(u64),
    /// There is no such account.
    #[error("There is no account {0}")]
    NoAccount(uuid::Uuid),
    /// The rows of the main database cannot be read in the time that one snapshot may last.
    #[error("The rows of the account cannot be read in time")]
    TooSlow,
    /// The row of the archive is gone or has ended, or another run makes it.
    #[error("The archive was deleted or discarded")]
    Gone,
    /// The archive cannot be read, or is none of this program.
    #[error("{0}")]
    Archive(String),
    /// The archive does not fit the deployment.
    #[error("{0}")]
    Refused(String),
    /// The file that is written or read fails.
    #[error("file: {0}")]
    File(#[from] io::Error),
    /// A key is malformed, or opens nothing.
    #[error("{0}")]
    Key(&'static str),
}

impl Error {
    /// Text for the owner of the account, without internals.
    #[must_use]
    pub fn public_text(&self) -> String {
        match self {
            Self::TooLarge(_) | Self::TooSlow | Self::Key(_) => self.to_string(),
            _ => "The export failed".to_owned(),
        }
    }

    /// True when a later attempt may succeed.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Store(_) | Self::File(_))
    }
}

impl From<diesel::result::Error> for Error {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<zip::result::ZipError> for Error {
    fn from(error: zip::result::ZipError) -> Self {
        Self::Archive(format!("archive: {error}"))
    }
}
