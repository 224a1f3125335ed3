//! Common model of all parts of Lumio: names, catalogues, configuration and schema.
//!
//! Nothing here opens a connection. Databases, Redis and queues are in `foundation`, clients of platforms in
//! `platforms`.

pub mod catalogue;
pub mod clock;
pub mod config;
pub mod connection;
pub mod engagement;
pub mod error;
pub mod id;
pub mod json;
pub mod parse_error;
pub mod person_ids;
pub mod placeholders;
pub mod platform;
pub mod schema;
pub mod secret;
pub mod uploads;

pub use error::{Error, Result};
