//! A measure with its places.

/// A place of the checkout.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub path: String,
    /// From 1; 0 for the file as a whole.
    pub line: usize,
    pub text: String,
}

/// A measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name in `bars.toml` and for `--list`.
    pub key: &'static str,
    /// Description of the count.
    pub title: String,
    pub value: usize,
    pub places: Vec<Place>,
}

impl Place {
    /// A place with what was found there.
    #[must_use]
    pub fn new(path: impl Into<String>, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.into(), line, text: text.into() }
    }
}

impl Row {
    /// A row that counts its places.
    #[must_use]
    pub fn of(key: &'static str, title: impl Into<String>, mut places: Vec<Place>) -> Self {
        places.sort();
        places.dedup();
        Self { key, title: title.into(), value: places.len(), places }
    }
}
