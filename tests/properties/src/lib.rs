//! Properties of the parsers of foreign bytes, for any bytes: each function takes any input and panics when its
//! property does not hold. The fuzz targets call them with generated input; the integration tests call them with the
//! kept corpora.

pub mod archive;
pub mod audio;
pub mod bundle;
pub mod cursors;
pub mod directories;
pub mod frames;
pub mod idempotency;
pub mod images;
pub mod manifest;
pub mod patterns;
pub mod tokens;
pub mod traces;
pub mod webhooks;

/// A reader's property.
pub type Property = fn(&[u8]);

/// Every property under the name of its fuzz target and of the folder of its corpus.
pub const ALL: [(&str, Property); 13] = [
    ("archive", archive::check),
    ("audio", audio::check),
    ("bundle", bundle::check),
    ("cursors", cursors::check),
    ("directories", directories::check),
    ("frames", frames::check),
    ("idempotency", idempotency::check),
    ("images", images::check),
    ("manifest", manifest::check),
    ("patterns", patterns::check),
    ("tokens", tokens::check),
    ("traces", traces::check),
    ("webhooks", webhooks::check),
];
