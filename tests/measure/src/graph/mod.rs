//! Modules of the crates and the imports between their files.

pub mod components;
mod forest;
mod resolve;

pub use forest::{Forest, Module, Tree};
pub use resolve::{Edge, edges};
