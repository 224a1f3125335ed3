//! What everything is kept in: the databases and Redis.

use std::time::Duration;

use super::{Environment, Reader};
use crate::secret::Secret;

/// The two databases (specification A §4.1, health). They may be the same one.
#[derive(Debug, Clone)]
pub struct DatabasesConfig {
    pub postgres: Secret,
    pub timescaledb: Secret,
    pub pool_size: u32,
    /// Longest wait for a connection before a request fails with `DATABASE_ERROR`.
    pub pool_timeout: Duration,
}

/// Redis.
#[derive(Debug, Clone)]
pub struct RedisConfig {
    pub url: Secret,
    /// First part of every key and channel, so that several deployments or tests can share a server.
    pub prefix: String,
    pub pool_size: u32,
    /// Longest wait for a connection of the pool.
    pub pool_timeout: Duration,
}

const DEFAULT_DATABASE: &str = "postgres://lumio@127.0.0.1:5432/lumio";

pub(super) fn databases(reader: &mut Reader, environment: Environment) -> DatabasesConfig {
    let postgres = reader.optional("DATABASE_URL");
    if postgres.is_none() && environment.is_deployment() {
        reader.mistake("DATABASE_URL", "must be set outside development");
    }
    let postgres = postgres.unwrap_or_else(|| DEFAULT_DATABASE.to_owned());
    DatabasesConfig {
        timescaledb: Secret::new(reader.text("LUMIO_TIMESCALEDB_URL", &postgres)),
        postgres: Secret::new(postgres),
        pool_size: reader.within("LUMIO_DATABASE_POOL", 16, 1, 500),
        pool_timeout: Duration::from_millis(reader.within(
            "LUMIO_DATABASE_POOL_TIMEOUT_MS",
            2000,
            50,
            60_000,
        )),
    }
}

pub(super) fn redis(reader: &mut Reader) -> RedisConfig {
    let prefix = reader.text("LUMIO_REDIS_PREFIX", "lumio");
    if !prefix.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        reader.mistake("LUMIO_REDIS_PREFIX", "must consist of letters, digits, `_` and `-`");
    }
    RedisConfig {
        url: Secret::new(reader.text("REDIS_URL", "redis://127.0.0.1:6379")),
        prefix,
        pool_size: reader.within("LUMIO_REDIS_POOL", 16, 1, 500),
        pool_timeout: Duration::from_millis(reader.within("LUMIO_REDIS_POOL_TIMEOUT_MS", 500, 50, 60_000)),
    }
}
