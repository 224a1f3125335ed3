//! The API process: every domain behind one listener.
//!
//! [`rest`], [`graphql`] and [`operations`] are tables of contents with a line a domain. [`app`] puts the
//! layers around them, [`server`] runs the result.

pub mod app;
pub mod asyncapi;
pub mod cli;
mod daemons;
pub mod doctor;
mod events;
mod gauges;
pub mod graphql;
mod layers;
pub mod openapi;
pub mod operations;
pub mod rest;
pub mod rotation;
pub mod seeds;
pub mod server;
mod tasks;
mod transport;

/// `major.minor.patch+commit` of this build (reference/conventions.md#versioning).
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("LUMIO_BUILD_COMMIT"));
