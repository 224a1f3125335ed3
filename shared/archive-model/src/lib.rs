//! Archives of accounts: export to one file, and import into another deployment (reference/archives.md).
//!
//! The lists in [`tables`] decide what is in an archive. Statements, export and import follow from them.

mod error;
pub mod export;
pub mod import;
pub mod manifest;
pub mod sealing;
mod sql;
pub mod stored;
pub mod tables;
mod writer;

pub use error::{Error, Result};
pub use writer::{Target, Written};
