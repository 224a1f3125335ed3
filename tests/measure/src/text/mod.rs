//! Reading of texts that are not syntax trees: comments, names, markdown.

pub mod comments;
pub mod markdown;
pub mod names;
