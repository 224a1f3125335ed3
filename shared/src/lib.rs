//! What the API and the workers share: configuration, data, keys, events, jobs and platform clients.
//!
//! Nothing here knows of HTTP requests or of operations: who may do what lives in `api-core`, what happens
//! lives in the domain crates under `api/`.

pub mod accounts;
pub mod audit;
pub mod bots;
pub mod catalogue;
pub mod clock;
pub mod config;
pub mod connections;
pub mod crypto;
pub mod daemons;
pub mod db;
pub mod error;
pub mod events;
pub mod extensions;
pub mod features;
pub mod feeds;
pub mod http;
pub mod id;
pub mod ingest;
pub mod invalidation;
pub mod jobs;
pub mod limits;
pub mod mail;
pub mod notify;
pub mod oauth_clients;
pub mod outbox;
pub mod person_ids;
pub mod plans;
pub mod platforms;
pub mod polls;
pub mod predictions;
pub mod readiness;
pub mod redis;
pub mod secret;
pub mod seeds;
pub mod storage;
pub mod telemetry;
pub mod token;
pub mod tokens;
pub mod unclaimed;

pub use error::{Error, Result};
