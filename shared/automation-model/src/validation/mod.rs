//! Validation of graphs (reference/automations.md#nodes). Every check takes time in proportion to the graph.

mod draft;
mod order;
mod schema;
mod strict;

pub use draft::draft_problems;
pub use schema::{allows_config, fits_output};
pub use strict::strict_problems;

#[cfg(test)]
mod tests;
