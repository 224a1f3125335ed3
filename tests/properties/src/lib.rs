//! Properties of the parsers of foreign bytes, for any bytes: each function takes any input and panics when its
//! property does not hold. The fuzz targets call them with generated input; the integration tests call them with the
//! kept corpora.

pub mod archive;
pub mod bundle;
pub mod directories;
pub mod frames;
pub mod manifest;
pub mod patterns;
pub mod tokens;
pub mod webhooks;

/// A reader's property.
pub type Property = fn(&[u8]);

/// Every property under the name of its fuzz target and of the folder of its corpus.
pub const ALL: [(&str, Property); 8] = [
    ("archive", archive::check),
    ("bundle", bundle::check),
    ("directories", directories::check),
    ("frames", frames::check),
    ("manifest", manifest::check),
    ("patterns", patterns::check),
    ("tokens", tokens::check),
    ("webhooks", webhooks::check),
];
