//! What must hold of the readers of foreign bytes, whatever the bytes: each function takes any input and panics when
//! its property does not hold. The fuzz targets feed them with what they find; the integration tests feed them with
//! the corpora that are kept.

pub mod bundle;
pub mod frames;
pub mod manifest;
pub mod patterns;
pub mod tokens;
pub mod webhooks;

/// A reader's property.
pub type Property = fn(&[u8]);

/// Every property under the name of its fuzz target and of the folder of its corpus.
pub const ALL: [(&str, Property); 6] = [
    ("bundle", bundle::check),
    ("frames", frames::check),
    ("manifest", manifest::check),
    ("patterns", patterns::check),
    ("tokens", tokens::check),
    ("webhooks", webhooks::check),
];
