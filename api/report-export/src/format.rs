//! Formats of exports.

/// Format of an exported report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// CSV files in a ZIP archive.
    Csv,
    /// Plain text.
    Txt,
    /// One JSON document.
    Json,
    /// Document with charts.
    Pdf,
}

impl Format {
    /// Every format, in the order of messages.
    pub const ALL: [Self; 4] = [Self::Csv, Self::Txt, Self::Json, Self::Pdf];

    /// Format of a name in a query.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Name in queries.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Txt => "txt",
            Self::Json => "json",
            Self::Pdf => "pdf",
        }
    }

    /// Ending of the file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "zip",
            other => other.name(),
        }
    }

    /// Value of `Content-Type`.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "application/zip",
            Self::Txt => "text/plain; charset=utf-8",
            Self::Json => "application/json",
            Self::Pdf => "application/pdf",
        }
    }

    /// True for files that a further compression does not make smaller.
    #[must_use]
    pub const fn is_compressed(self) -> bool {
        matches!(self, Self::Csv | Self::Pdf)
    }
}
