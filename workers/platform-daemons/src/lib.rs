//! Daemons that call platforms or handle their deliveries.

pub mod connections;
mod context;
pub mod ingest;
pub mod sources;
pub mod token_refresh;

pub use context::PlatformContext;
